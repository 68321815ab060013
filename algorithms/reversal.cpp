#include "algorithms/reversal.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "algorithms/support/fit.hpp"
#include "emulator/schedule/collective.hpp"

namespace kport {

Algorithm time_reversal(const Operation& operation, Algorithm forward) {
    Algorithm row = std::move(forward);
    row.rule = fmt::format("{} {}, reversed in time: {}", name(row.operation), row.name, row.rule);
    row.forward = row.operation;
    row.operation = operation;
    row.way = Way::reversed;
    return row;
}

Algorithm in_order(Algorithm row, bool (*condition)(const Machine&, const Collective&, const AlgorithmOptions&)) {
    row.folds_in_order = condition;
    return row;
}

bool rda_folds_in_order(const Machine&, const Collective& collective, const AlgorithmOptions&) {
    return collective.root == 0;
}

bool grid_folds_in_order(const Machine& machine, const Collective&, const AlgorithmOptions& options) {
    const Grid* grid = as_grid(machine);
    return grid != nullptr && !grid->wraps() && std::ranges::is_sorted(options.dimensions);
}

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
