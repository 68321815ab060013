/// @file ledger_findings.hpp   Internal to the ledger: the records touched by a message, and what is wrong with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "emulator/audit/ledger.hpp"
#include "emulator/base/error.hpp"

namespace kport {

template <class IsDone, class Visit>
void Ledger::for_each_books(unsigned shard, NodeId v, std::span<const PacketBlock> packets, const IsDone& is_done,
                            const Visit& visit) {
    if (segments_ == 1) {
        Books& own = books(shard, v);
        load(v, own);  // where the sets are bits
        visit(Violation::no_segment, own, packets);
        store(v, own);
        return;
    }
    SegmentBooks<ArcBooks>& all = vector(shard, v).segments;
    for_each_part(packets, [&](const Progression& segments, std::span<const PacketBlock> contributions) {
        std::uint64_t visited = 0;
        all.for_each(segments, [&](const Progression& some, ArcBooks& own) {
            if (!own.books_or_null) {
                if (is_done(own, contributions)) {
                    visited += some.count;
                    return true;
                }
                if (own.advances()) return false;
                own.books_or_null = std::make_unique<Books>(books_of(shard, own));
            }
            visited += some.count;
            visit(some.first, *own.books_or_null, contributions);
            return true;
        });
        invariant(visited == segments.count, "every segment of a value has books, and once");
    });
}

/// What is wrong with a message or a result: for each breach the lowest packet in the lowest segment.
class Ledger::Findings {
  public:
    Findings(const Ledger& ledger, Round round, NodeId node, const Transfer& transfer, Port port)
        : ledger_(ledger), round_(round), node_(node), transfer_(transfer), port_(port) {}

    /// Sets the segment of the packets that follow.
    void of_segment(std::uint32_t segment) { segment_ = segment; }
    /// 0 where there is but one.
    [[nodiscard]] std::uint32_t segment() const { return segment_ == Violation::no_segment ? 0 : segment_; }
    void add(Breach breach, std::span<const PacketBlock> packets, std::uint64_t limit = 0) {
        if (packets.empty()) return;
        Violation found = ledger_.violation(breach, round_, node_, transfer_, packets);
        if (segment_ != Violation::no_segment) found.segment = segment_;
        found.port = port_;
        found.limit = limit;
        const auto same = std::ranges::find(all_, breach, &Violation::breach);
        if (same == all_.end())
            all_.push_back(found);
        else if (std::pair(found.segment, found.packet) < std::pair(same->segment, same->packet))
            *same = found;
    }
    [[nodiscard]] bool empty() const { return all_.empty(); }
    void tell(ViolationLog& log) const {
        for (const Violation& found : all_) log.add(found);
    }
    /// Reports the findings of a result, which has no sender.
    void tell_of_result(ViolationLog& log) {
        for (Violation& found : all_) found.other = no_node;
        tell(log);
    }

  private:
    const Ledger& ledger_;
    Round round_;
    NodeId node_;
    const Transfer& transfer_;
    Port port_;
    std::uint32_t segment_ = Violation::no_segment;
    std::vector<Violation> all_;
};

}  // namespace kport
