#include "algorithms/adapted.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "algorithms/support/fit.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {

std::vector<Algorithm> with_reversal(Algorithm forward, const Operation& reversed, InOrder in_order) {
    Algorithm row = forward;
    row.rule = fmt::format("{} {}, reversed in time: {}", name(forward.operation), row.name, row.rule);
    row.cost = fmt::format("as {} {} in every quantity", name(forward.operation), row.name);
    row.forward = forward.operation;
    row.operation = reversed;
    row.way = Way::reversed;
    row.in_order = in_order;
    return {std::move(forward), std::move(row)};
}

constinit const InOrder in_order_on_grids{
    [](const Machine& machine, const Collective&, const AlgorithmOptions& options) {
        const Grid* grid = as_grid(machine);
        return grid != nullptr && !grid->wraps() && std::ranges::is_sorted(options.dimensions);
    },
    "on meshes and lines with the dimensions ascending"};

namespace {

/// Packet j of node v is segment j of block v, of M each: v M + j. Calls visit(segments) for the segments of some
/// packets: a range for each node, or a progression for each j, whichever are fewer.
template <class Visit>
void for_each_segments(const PacketBlock& packets, std::uint32_t m, const Visit& visit) {
    if (packets.stride == 1 && packets.rows == m) return visit(Progression{packets.first * m, 1, packets.count * m});
    const Progression own = packets.all_rows();
    if (packets.count < packets.rows && packets.row_stride == 1) {
        for (std::uint32_t i = 0; i < packets.count; ++i)
            visit(Progression{packets.columns()[i] * m + own.first, 1, own.count});
        return;
    }
    for (std::uint32_t j = 0; j < packets.rows; ++j)
        visit(Progression{packets.first * m + own[j], packets.stride * m, packets.count});
}

}  // namespace

Schedule of_segments(const Schedule& reversed, const Collective& collective) {
    const bool has_blocks = collective.operation == Operation::reduce_scatter;
    const auto m = has_blocks ? static_cast<std::uint32_t>(collective.packets_each) : 1;
    Schedule schedule;
    for (std::size_t i = 0; i < reversed.size(); ++i) {
        const Transfer transfer = reversed.transfer(i);
        const Progression sender{static_cast<std::uint32_t>(transfer.from)};
        PacketBlocks own;
        for (const PacketBlock& packets : transfer.packets)
            for_each_segments(packets, m,
                              [&](const Progression& segments) { own.push_back(block_of(segments, sender)); });
        schedule.add(reversed.round(i), {transfer.from, transfer.to, transfer.route, span_of(own)});
    }
    for (const Silence& silence : reversed.silences()) schedule.add_silent(silence.first, silence.count);
    return schedule;
}

Schedule with_contributions(const Schedule& of_segments, const Collective& collective, const Topology& topology) {
    const NodeId nodes = topology.nodes();
    std::vector<PacketSet> folded(nodes);
    const auto folded_by = [&](NodeId v) -> PacketSet& {
        if (folded[v].empty()) folded[v] = collective.owned(v, nodes);
        return folded[v];
    };
    Schedule schedule;
    for (std::size_t i = 0; i < of_segments.size();) {
        const Round round = of_segments.round(i);
        const std::size_t first = i;
        for (; i < of_segments.size() && of_segments.round(i) == round; ++i) {
            const Transfer transfer = of_segments.transfer(i);
            const PacketSet all = contributions_to(transfer.packets, nodes);
            schedule.add(round, {transfer.from, transfer.to, transfer.route,
                                 span_of(in_both(all.blocks(), folded_by(transfer.from)))});
        }
        for (std::size_t sent = first; sent < i; ++sent) {  // a message counts from the round after its arrival
            const Transfer transfer = schedule.transfer(sent);
            folded_by(transfer.to).add(transfer.packets);
        }
    }
    for (const Silence& silence : of_segments.silences()) schedule.add_silent(silence.first, silence.count);
    return schedule;
}

Schedule followed_by_result(Schedule reduction, const Schedule& broadcast, const Topology& topology) {
    const Round before = reduction.rounds();
    for (std::size_t i = 0; i < broadcast.size(); ++i) {
        const Transfer transfer = broadcast.transfer(i);
        PacketBlocks results;
        for (const PacketBlock& packets : transfer.packets)
            results.push_back(result_packets(topology.nodes(), packets.columns()));
        reduction.add(before + broadcast.round(i), {transfer.from, transfer.to, transfer.route, span_of(results)});
    }
    for (const Silence& silence : broadcast.silences()) reduction.add_silent(before + silence.first, silence.count);
    return reduction;
}

}  // namespace kport
