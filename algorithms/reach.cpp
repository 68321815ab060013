#include "algorithms/catalogue.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/bounds/judge.hpp"

namespace kport {
namespace {

constexpr NodeId expected_tables_max = NodeId{1} << 14;
constexpr NodeId counted_nodes_max = NodeId{1} << 31;  // N(N-1) fits the 64 bits of an expected cost

using Schedules = std::vector<bounds::KnownSchedule>;

/// Returns the expected costs of the catalogue's rows. For one packet, rows of the way reduce_broadcast are omitted:
/// the bounds know the same from every broadcast, through any root; but not which runs of nodes they combine.
///
/// packets_each   the final M: partial results that stay apart carry only what they are made for.
Schedules expected(const Machine& machine, const Collective& collective, std::uint64_t packets_each, bool one_port) {
    Schedules known;
    AlgorithmOptions options;
    if (collective.in_runs) options.reduction.op = Operator::concat;  // as any operator that does not commute
    for (const Algorithm* row : applicable(machine, collective, options)) {
        const bool known_anyway =
            row->way == Way::reduce_broadcast && collective.packets_each == 1 && !collective.in_runs;
        if (known_anyway || breaks_a_rule(*row, machine)) continue;
        if (row->is_last_choice()) continue;  // a choice searches; bounds are asked for too often
        if (row->in_runs && packets_each != collective.packets_each) continue;
        if (row->table_bytes_per_node != 0 && machine.topology->nodes() > expected_tables_max) continue;
        Collective through = collective;
        if (const NodeId middle = bounds::middle_of(*machine.topology);
            row->through_root && collective.has_member(middle))
            through.root = middle;
        const ExpectedCost cost = expected_cost(*row, machine, through, options);
        const std::string root = through.root == collective.root
                                     ? ""
                                     : fmt::format(" through node {}", machine.topology->name(through.root));
        known.push_back({fmt::format("{}{}{}", row->name, root, one_port ? " through one port" : ""), cost.rounds,
                         cost.work, cost.path_sum, cost.volume});
    }
    return known;
}

/// On the machine, and on the machine restricted to one port.
Schedules expected_with_ports(const Machine& machine, const Collective& collective, std::uint64_t packets_each) {
    Schedules known = expected(machine, collective, packets_each, false);
    if (machine.widest() <= 1 || machine.node_ports != nullptr) return known;
    Machine narrow = machine;
    narrow.ports = PortLimit(1);
    std::ranges::move(expected(narrow, collective, packets_each, true), std::back_inserter(known));
    return known;
}

/// Those that know M come first, then those for one packet, repeated.
Schedules expected_of_all(const bounds::Facts& facts, const Collective& collective) {
    const Machine& machine = facts.machine;
    const std::uint64_t all = collective.packets_each;
    Schedules known = expected_with_ports(machine, collective, all);
    if (all == 1 || collective.counts != nullptr) return known;
    Collective single = collective;
    single.packets_each = 1;
    for (bounds::KnownSchedule& of_one : expected_with_ports(machine, single, all))
        known.push_back(bounds::of_all_packets(std::move(of_one), facts));
    return known;
}

}  // namespace

Bounds reached_bounds(const Machine& asked, const Collective& collective) {
    require_topology(asked);
    Machine machine = asked;
    machine.routing = Routing::fixed;  // bounds are of all routes, and algorithms may bring those of fixed routing
    Collective through = collective;
    if (!collective.rooted())  // the bounds are equal from any root that takes part
        through.root = collective.members == nullptr ? 0 : collective.members->node(0);
    return bounds::lower_bounds(machine, collective, [&](const bounds::Facts& facts) {
        return facts.nodes <= counted_nodes_max ? expected_of_all(facts, through) : Schedules();
    });
}

}  // namespace kport
