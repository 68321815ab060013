/// @file chunk_contents.cpp   Which contributions each rank holds at each address, send by send.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/files/chunk_schedule.hpp"

namespace kport::chunked {

void ChunkSchedule::index() {
    std::ranges::stable_sort(chunks, {}, &Chunk::address);
    addresses.clear();
    first_chunk.clear();
    for (std::uint32_t i = 0; i < chunks.size(); ++i)
        if (addresses.empty() || addresses.back() != chunks[i].address) {
            addresses.push_back(chunks[i].address);
            first_chunk.push_back(i);
        }
    first_chunk.push_back(static_cast<std::uint32_t>(chunks.size()));
}

namespace {

class ContentsJudge {
  public:
    ContentsJudge(const ChunkSchedule& schedule, const Rules& rules, FaultList& faults)
        : schedule_(schedule), rules_(rules), faults_(faults) {
        for (std::uint32_t address = 0; address < schedule_.addresses.size(); ++address)
            for (std::uint32_t i = schedule_.first_chunk[address]; i < schedule_.first_chunk[address + 1]; ++i)
                for (const NodeId rank : schedule_.chunks[i].before) held_[place(rank, address)].add(PacketBlock{i});
    }

    std::vector<std::vector<PacketSet>> judge() {
        std::vector<std::vector<PacketSet>> carried;
        for (const Step& step : schedule_.steps) carried.push_back(follow(step));
        judge_end();
        return carried;
    }

  private:
    /// The values that arrive at a rank's address in a step.
    struct Arrivals {
        const Send* first = nullptr;
        PacketSet folded;
        std::optional<PacketSet> replacing;
        bool overlap = false;  ///< some contributions arrive twice
        bool forced = false;   ///< one value is combined even if it is a superset
    };

    [[nodiscard]] std::uint64_t place(NodeId rank, std::uint32_t address) const {
        return rank * schedule_.addresses.size() + address;
    }
    [[nodiscard]] std::string chunk_name(std::uint32_t address) const { return schedule_.address_name(address); }

    /// "of ranks 0, 1, 3"
    [[nodiscard]] std::string contributors(const PacketSet& set) const {
        constexpr std::uint64_t shown_max = 12;
        std::vector<std::uint32_t> chunks;
        for (const PacketBlock& block : set.blocks())
            for (std::uint32_t i = 0; i < block.count && chunks.size() <= shown_max; ++i)
                chunks.push_back(block.columns()[i]);
        std::ranges::sort(chunks);
        std::string text;
        for (std::size_t i = 0; i < std::min<std::size_t>(chunks.size(), shown_max); ++i) {
            const std::vector<NodeId>& owners = schedule_.chunks[chunks[i]].before;
            text += fmt::format("{}{}", i == 0 ? "" : ", ",
                                owners.empty() ? std::string("no rank") : schedule_.rank_name(owners.front()));
        }
        if (set.size() > shown_max) text += fmt::format(" and {} more", set.size() - shown_max);
        return set.empty() ? "nothing" : "the contributions of " + text;
    }

    std::vector<PacketSet> follow(const Step& step) {
        std::vector<PacketSet> carried;
        for (const Send& send : step.sends) carried.push_back(sent_value(step, send));
        std::unordered_map<std::uint64_t, Arrivals> arrivals;
        std::vector<std::uint64_t> order;  // in the order of the file, so that reports are reproducible
        for (std::size_t i = 0; i < step.sends.size(); ++i) {
            const Send& send = step.sends[i];
            if (carried[i].empty()) {
                carried[i] = schedule_.all_of(send.address);
                continue;
            }
            if (schedule_.contributions(send.address) == 1) {
                receive_copy(step, send, carried[i]);
                continue;
            }
            Arrivals& at = arrivals[place(send.to, send.address)];
            if (at.first == nullptr) {
                at.first = &send;
                order.push_back(place(send.to, send.address));
            }
            note_arrival(at, send, carried[i]);
        }
        for (const std::uint64_t at : order) receive_value(step, at, arrivals.at(at));
        for (const auto& [at, chunk] : copies_) held_[at] = chunk;
        copies_.clear();
        return carried;
    }

    PacketSet sent_value(const Step& step, const Send& send) {
        const auto held = held_.find(place(send.from, send.address));
        if (held != held_.end()) return held->second;
        if (!faults_.is_full(ScheduleFault::delivery))
            faults_.add(
                ScheduleFault::delivery,
                fmt::format("{}: {} sends {} to {}, but does not hold it before this step", step.place,
                            schedule_.rank_name(send.from), chunk_name(send.address), schedule_.rank_name(send.to)));
        return {};
    }

    void receive_copy(const Step& step, const Send& send, const PacketSet& chunk) {
        const std::uint64_t at = place(send.to, send.address);
        const std::vector<NodeId>& owners = schedule_.chunks[schedule_.first_chunk[send.address]].before;
        if (std::ranges::binary_search(owners, send.to))
            break_rule(rules_.noho, ScheduleFault::noho, step, send, "which it owns");
        else if (!received_.insert(at).second && !schedule_.in_parts)
            break_rule(rules_.nodup, ScheduleFault::nodup, step, send, "which it has received before");
        copies_.emplace_back(at, chunk);
    }

    void note_arrival(Arrivals& at, const Send& send, const PacketSet& value) {
        if (send.effect == Effect::replace) {
            at.overlap = at.overlap || at.replacing.has_value();
            at.replacing = value;
            return;
        }
        at.overlap = at.overlap || common_size(value.blocks(), at.folded) != 0;
        at.forced = at.forced || send.effect == Effect::fold;
        at.folded.include(value);
    }

    void receive_value(const Step& step, std::uint64_t at, const Arrivals& came) {
        PacketSet& held = held_[at];
        const Send& send = *came.first;
        if (came.replacing) {
            if (came.overlap || !came.folded.empty())
                add_fold(step, send, "gets two values in one step of which one replaces what is there");
            else
                note_result(step, send, at, *came.replacing);
            held = *came.replacing;
            return;
        }
        const bool disjoint = common_size(came.folded.blocks(), held) == 0;
        const bool replaces = !came.forced && came.folded.covers(held.blocks());
        if (came.overlap)
            add_fold(step, send, "gets a contribution twice in one step: " + contributors(came.folded) + " come");
        else if (!disjoint && !replaces)
            add_fold(step, send,
                     fmt::format("folds a contribution twice: it has {}, and {} come", contributors(held),
                                 contributors(came.folded)));
        else if (!disjoint)
            note_result(step, send, at, came.folded);
        held.include(came.folded);
    }

    /// Records a value with all contributions: a packet of its own, which may come once.
    void note_result(const Step& step, const Send& send, std::uint64_t at, const PacketSet& value) {
        if (value.size() == schedule_.contributions(send.address) && !received_.insert(at).second)
            break_rule(rules_.nodup, ScheduleFault::nodup, step, send, "whose result it has received before");
    }

    void add_fold(const Step& step, const Send& send, const std::string& why) {
        if (!faults_.is_full(ScheduleFault::fold))
            faults_.add(ScheduleFault::fold, fmt::format("{}: {} of {} {}", step.place, chunk_name(send.address),
                                                         schedule_.rank_name(send.to), why));
    }

    void break_rule(Force force, ScheduleFault fault, const Step& step, const Send& send, std::string_view why) {
        if (force != Force::law || faults_.is_full(fault)) return;
        faults_.add(fault, fmt::format("{}: {} receives {} from {}, {}", step.place, schedule_.rank_name(send.to),
                                       chunk_name(send.address), schedule_.rank_name(send.from), why));
    }

    void judge_end() {
        for (std::uint32_t address = 0; address < schedule_.addresses.size(); ++address) {
            std::unordered_map<NodeId, PacketSet> wanted;
            std::vector<NodeId> order;
            for (std::uint32_t i = schedule_.first_chunk[address]; i < schedule_.first_chunk[address + 1]; ++i)
                for (const NodeId rank : schedule_.chunks[i].after) {
                    if (wanted[rank].empty()) order.push_back(rank);
                    wanted[rank].add(PacketBlock{i});
                }
            for (const NodeId rank : order) {
                if (faults_.is_full(ScheduleFault::delivery)) return;
                judge_end(rank, address, wanted.at(rank));
            }
        }
    }

    void judge_end(NodeId rank, std::uint32_t address, const PacketSet& wanted) {
        const auto found = held_.find(place(rank, address));
        const PacketSet held = found == held_.end() ? PacketSet() : found->second;
        if (held.size() == wanted.size() && held.covers(wanted.blocks())) return;
        if (schedule_.contributions(address) == 1)
            faults_.add(ScheduleFault::delivery,
                        fmt::format("{} does not hold {} at the end", schedule_.rank_name(rank), chunk_name(address)));
        else
            faults_.add(ScheduleFault::delivery,
                        fmt::format("{} of {} ends with {}; want {}", chunk_name(address), schedule_.rank_name(rank),
                                    contributors(held), contributors(wanted)));
    }

    const ChunkSchedule& schedule_;
    const Rules& rules_;
    FaultList& faults_;
    std::unordered_map<std::uint64_t, PacketSet> held_;
    std::unordered_set<std::uint64_t> received_;
    std::vector<std::pair<std::uint64_t, PacketSet>> copies_;  ///< arriving in this step
};

}  // namespace

std::vector<std::vector<PacketSet>> carried_chunks(const ChunkSchedule& schedule, const Rules& rules,
                                                   FaultList& faults) {
    return ContentsJudge(schedule, rules, faults).judge();
}

}  // namespace kport::chunked
