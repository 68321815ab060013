#include "algorithms/reversal.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "algorithms/support/fit.hpp"
#include "emulator/schedule/collective.hpp"

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

Schedule with_contributions(const Schedule& reversed_broadcast, const Topology& topology) {
    const auto own = [](NodeId v) { return PacketSet::range(v, v + 1); };
    std::vector<PacketSet> folded(topology.nodes());
    const auto folded_by = [&](NodeId v) -> PacketSet& {
        if (folded[v].empty()) folded[v] = own(v);
        return folded[v];
    };
    Schedule schedule;
    for (std::size_t i = 0; i < reversed_broadcast.size();) {
        const Round round = reversed_broadcast.round(i);
        const std::size_t first = i;
        for (; i < reversed_broadcast.size() && reversed_broadcast.round(i) == round; ++i) {
            const Transfer transfer = reversed_broadcast.transfer(i);
            schedule.add(round, {transfer.from, transfer.to, transfer.route, folded_by(transfer.from).blocks()});
        }
        for (std::size_t sent = first; sent < i; ++sent) {  // a message counts from the round after its arrival
            const Transfer transfer = schedule.transfer(sent);
            folded_by(transfer.to).add(transfer.packets);
        }
    }
    for (const Silence& silence : reversed_broadcast.silences()) schedule.add_silent(silence.first, silence.count);
    return schedule;
}

Schedule followed_by_result(Schedule reduction, const Schedule& broadcast, const Topology& topology) {
    const Round before = reduction.rounds();
    const PacketBlock result = result_packet(topology.nodes());
    for (std::size_t i = 0; i < broadcast.size(); ++i) {
        const Transfer transfer = broadcast.transfer(i);
        reduction.add(before + broadcast.round(i), {transfer.from, transfer.to, transfer.route, {&result, 1}});
    }
    for (const Silence& silence : broadcast.silences()) reduction.add_silent(before + silence.first, silence.count);
    return reduction;
}

}  // namespace kport
