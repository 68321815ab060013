#include "emulator/audit/audit_schedule.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {

namespace {

constexpr unsigned only_shard = 0;

/// The packets of an operation: columns and rows that there are.
struct PacketSpace {
    std::uint64_t columns;
    std::uint64_t rows;

    PacketSpace(Operation operation, NodeId nodes)
        : columns(operation == Operation::broadcast ? 1
                  : is_reduction(operation)         ? nodes + 1
                                                    : nodes),
          rows(operation == Operation::alltoall ? nodes : 1) {}

    [[nodiscard]] bool holds(const PacketBlock& block) const {
        const auto inside = [](const Progression& p, std::uint64_t end) {
            return p.first < end && p.count - 1 <= (end - 1 - p.first) / p.stride;
        };
        return inside(block.columns(), columns) && inside(block.all_rows(), rows);
    }
};

void require_packets_of(Operation operation, const Schedule& schedule, NodeId nodes) {
    const PacketSpace space(operation, nodes);
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const auto packets = schedule.transfer(i).packets;
        const bool too_many = operation == Operation::broadcast && packets.size() != 1;
        if (too_many || !std::ranges::all_of(packets, [&](const PacketBlock& block) { return space.holds(block); }))
            throw RequestError(operation == Operation::broadcast
                                   ? fmt::format("transfers[{}].packets: a broadcast moves packet 0 alone", i)
                                   : fmt::format("transfers[{}].packets: {} of {} nodes has no such packet", i,
                                                 name(operation), nodes));
        const PacketBlock result = result_packet(nodes);
        if (is_reduction(operation) && size_of(packets) > 1 && common_size({&result, 1}, packets) != 0)
            throw RequestError(
                fmt::format("transfers[{}].packets: packet {}, the result, travels in a message of its own", i, nodes));
        if (packets.size() > 1 && common_size(packets, packets) != size_of(packets))
            throw RequestError(fmt::format("transfers[{}].packets: a packet stands there twice", i));
    }
}

/// An auditor trusts its arguments.
const Machine& checked(const Schedule& schedule, const Machine& machine, const Promise& promise) {
    require_readable(schedule, machine, promise);
    return machine;
}

}  // namespace

void require_readable(const Schedule& schedule, const Machine& machine, const Promise& promise) {
    const Topology& topology = *machine.topology;
    if (topology.nodes() >= NodeId{1} << 32)
        throw DoesNotFit(fmt::format("{} has {} nodes; an audit keeps a record of each and holds fewer than 2^32",
                                     topology.spec(), topology.nodes()));
    if (promise.source >= topology.nodes())
        throw RequestError(
            fmt::format("source '{}': {} has nodes 0 to {}", promise.source, topology.spec(), topology.nodes() - 1));
    require_well_formed(schedule, topology);
    require_packets_of(promise.operation, schedule, topology.nodes());
}

ScheduleAudit::ScheduleAudit(const Schedule& schedule, const Machine& machine, const Promise& promise, bool per_round)
    : schedule_(schedule), wormhole_(machine.switching == Switching::wormhole),
      auditor_(checked(schedule, machine, promise), promise, 1, per_round) {}

bool ScheduleAudit::next() {
    if (next_ == schedule_.size()) return false;
    const Round round = schedule_.round(next_);
    transfers_.clear();
    for (; next_ < schedule_.size() && schedule_.round(next_) == round; ++next_)
        transfers_.push_back(schedule_.transfer(next_));
    std::stable_sort(transfers_.begin(), transfers_.end(), [](const Transfer& a, const Transfer& b) {
        if (a.from != b.from) return a.from < b.from;
        if (!std::ranges::equal(a.route, b.route)) return std::ranges::lexicographical_compare(a.route, b.route);
        return a.to < b.to;
    });

    if (round > round_ + 1) {
        Violation silent;
        silent.breach = Breach::silent_round;
        silent.round = round_ + 1;
        silent.limit = round - round_ - 1;
        auditor_.report(silent);
    }
    round_ = round;
    for (const Transfer& transfer : transfers_) auditor_.sent(only_shard, round, transfer);
    if (wormhole_) auditor_.paths(round, transfers_);
    for (const Transfer& transfer : transfers_) auditor_.received(only_shard, round, transfer);
    metrics_ = auditor_.end_round(round, std::array{only_shard});
    return true;
}

Verdict audit(const Schedule& schedule, const Machine& machine, const Promise& promise, bool per_round) {
    ScheduleAudit rounds(schedule, machine, promise, per_round);
    while (rounds.next()) {
    }
    rounds.auditor().expect_no_results();
    return rounds.finish();
}

}  // namespace kport
