#include "algorithms/reach.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "algorithms/bounds/judge.hpp"
#include "algorithms/catalogue.hpp"

namespace kport {
namespace {

constexpr NodeId expected_tables_max = NodeId{1} << 14;
constexpr NodeId counted_nodes_max = NodeId{1} << 31;  // N(N-1) fits the 64 bits of an expected cost

/// A run of a row of the catalogue, by the book. Of one packet those of the way reduce_broadcast are left out: the bounds know
/// the same of every broadcast, and through any root.
void add_expected(const Machine& machine, const Collective& collective, bool one_port,
                  std::vector<bounds::KnownSchedule>& known) {
    for (const Algorithm* row : applicable(machine, collective, {})) {
        const bool known_anyway = row->way == Way::reduce_broadcast && collective.packets_each == 1;
        if (known_anyway || breaks_a_rule(*row, machine)) continue;
        if (row->table_bytes_per_node != 0 && machine.topology->nodes() > expected_tables_max) continue;
        Collective through = collective;
        if (row->through_root) through.root = bounds::middle_of(*machine.topology);
        const ExpectedCost cost = expected_cost(*row, machine, through, {});
        const std::string root = through.root == collective.root
                                     ? ""
                                     : fmt::format(" through node {}", machine.topology->name(through.root));
        known.push_back({fmt::format("{}{}{}", row->name, root, one_port ? " through one port" : ""), cost.rounds,
                         cost.work, cost.path_sum, cost.volume});
    }
}

}  // namespace

Bounds reached_bounds(const Machine& machine, const Collective& collective) {
    require_topology(machine);
    (void)bounds::facts_of(machine, collective);  // refuses a root that is no node
    std::vector<bounds::KnownSchedule> known;
    Collective asked = collective;
    if (!collective.rooted()) asked.root = 0;  // the bounds are the same from any root
    if (machine.topology->nodes() <= counted_nodes_max) {
        add_expected(machine, asked, false, known);
        Machine narrow = machine;
        narrow.ports = PortLimit(1);
        if (machine.widest() > 1) add_expected(narrow, asked, true, known);
    }
    return bounds::lower_bounds(machine, collective, known);
}

}  // namespace kport
