/// @file shortest_paths.cpp   Permutations on any graph along shortest paths.
#include <limits>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"
#include "algorithms/support/shortest_paths.hpp"

namespace kport {

namespace {

/// Permutation, planned.
///
/// Machine   any graph, store-and-forward or wormhole, any k, any duplex, pairwise or not, combining or not
/// Gives     every node holds the packets for it
/// Costs     with all ports, full duplex and combining as many rounds as the largest distance: nothing waits; with single packets
///           work is M times the sum of distances; else measured
/// Idea      The packets of each node go along the route of the graph to its target, a link a round; of those that compete,
///           those with the longest way to go first.
/// Source    greedy routing, farthest first: Leighton, Introduction to Parallel Algorithms and Architectures, 1992, 1.7
Schedule planned_permutation(const Machine& machine, const Collective& collective) {
    const NodeId nodes = machine.topology->nodes();
    std::vector<Parcel> parcels;
    for (NodeId v = 0; v < nodes; ++v)
        add_parcels(parcels, machine,
                    {v, collective.permutation.target(v, nodes),
                     packets_of(Progression{static_cast<std::uint32_t>(v)}, collective.packets_each)});
    return along_shortest_paths(machine, parcels);
}

constexpr double parcels_max = 1 << 20;
constexpr double ports_max = 1 << 28;  // a search visits them all

/// Returns the sum of the distances where there is a formula; else an upper bound through node 0, to which and from
/// which every node sends.
double links_between(const Machine& machine, const Permutation& permutation) {
    const Topology& graph = *machine.topology;
    if (as_grid(machine) == nullptr && as_hypercube(machine) == nullptr)
        return 2 * static_cast<double>(graph.sum_of_distances(0));
    double links = 0;
    for (NodeId v = 0; v < graph.nodes(); ++v)
        links += static_cast<double>(graph.distance(v, permutation.target(v, graph.nodes())));
    return links;
}

Journeys journeys_of_permutation(const Machine& machine, const Collective& collective) {
    const double each = machine.combining ? 1 : static_cast<double>(collective.packets_each);
    const double parcels = each * static_cast<double>(machine.topology->nodes());
    const double ports = static_cast<double>(machine.topology->nodes()) * machine.topology->ports();
    if (parcels > parcels_max || ports > ports_max) return {parcels, std::numeric_limits<double>::infinity()};
    return {parcels, each * links_between(machine, collective.permutation)};
}

std::optional<std::string> misfit_permutation_shortest_paths(const Machine& machine, const Collective& collective,
                                                             const AlgorithmOptions& options) {
    if (auto why = takes_no_options(options)) return why;
    return misfit_shortest_paths(machine, journeys_of_permutation(machine, collective));
}

Start make_permutation_shortest_paths(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return following(planned_permutation(machine, collective), machine, collective);
}

PlanSize plan_of_permutation_shortest_paths(const Machine& machine, const Collective& collective) {
    return plan_of_shortest_paths(journeys_of_permutation(machine, collective));
}

ExpectedCost expect_permutation_shortest_paths(const Machine& machine, const Collective& collective,
                                               const AlgorithmOptions&) {
    if (plan_bytes(plan_of_permutation_shortest_paths(machine, collective)) > plan_bytes_counted)
        return cost_of_shortest_paths();
    return counted_cost(planned_permutation(machine, collective), machine, collective);
}

}  // namespace

std::vector<Algorithm> algorithms_in_permutation_shortest_paths() {
    return {{
        .operation = Operation::permutation,
        .name = "shortest-paths",
        .rule =
            "all packets along shortest paths, a link a round; of those that compete, those with the longest way to "
            "go first",
        .needs = "any small graph, SF or WH, any k, any duplex, pairwise or not, combining or not",
        .cost =
            "measured; with all ports, full duplex and combining the largest distance in rounds; with single packets M "
            "times the sum of distances as work",
        .source = "greedy routing, farthest first (Leighton 1992, 1.7)",
        .misfit = misfit_permutation_shortest_paths,
        .make = make_permutation_shortest_paths,
        .expect = expect_permutation_shortest_paths,
        .plan = plan_of_permutation_shortest_paths,
        .with_many = WithMany::own,
        .single_links = true,
    }};
}

}  // namespace kport
