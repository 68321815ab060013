/// @file shortest_paths.cpp   Permutations, and promises of packets for one node each, on any graph along shortest paths.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "algorithms/bounds/promised.hpp"
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

/// Promise, planned: as a permutation, each packet from the nearest of its owners to the node that lacks it.
class PlannedPromise {
  public:
    PlannedPromise(const Machine& machine, const Collective& collective) : machine_(machine), collective_(collective) {
        const Topology& graph = *machine.topology;
        if (size_of_promise(collective, graph.nodes(), promised_max) > promised_max) return;
        is_counted_ = true;
        for (const LackedPacket& of : lacked_packets(collective, graph.nodes())) {
            has_one_taker_ = has_one_taker_ && of.takers.size() == 1;
            const NodeId to = of.takers.front();
            const NodeId from =
                *std::ranges::min_element(of.owners, {}, [&](NodeId u) { return graph.distance(u, to); });
            parcels_.push_back({from, to, block_of({0}, {of.packet})});
            journeys_.parcels += 1;
            journeys_.links += static_cast<double>(graph.distance(from, to));
        }
    }

    [[nodiscard]] std::optional<std::string> misfit() const {
        if (!is_counted_) return planned_where(false, "nodes own and want at most 2^22 packets");
        if (!has_one_taker_) return "needs packets that one node each wants and does not own";
        if (auto why = misfit_shortest_paths(machine_, journeys_)) return why;
        return unless(std::ranges::all_of(parcels_, [&](const Parcel& one) { return may_go(one); }),
                      "goes through nodes that pass nothing on");
    }
    [[nodiscard]] const Journeys& journeys() const { return journeys_; }
    [[nodiscard]] Schedule plan() const { return along_shortest_paths(machine_, parcels_); }

  private:
    static constexpr std::uint64_t promised_max = std::uint64_t{1} << 22;

    [[nodiscard]] bool may_go(const Parcel& parcel) const {
        const Topology& graph = *machine_.topology;
        for (NodeId at = parcel.from; at != parcel.to; at = graph.across(at, graph.route(at, parcel.to)).node)
            if (!collective_.may_pass_on(at, graph.nodes())) return false;
        return true;
    }

    const Machine& machine_;
    const Collective& collective_;
    bool is_counted_ = false;
    bool has_one_taker_ = true;
    std::vector<Parcel> parcels_;
    Journeys journeys_ = {0, 0};
};

std::optional<std::string> misfit_promise_shortest_paths(const Machine& machine, const Collective& collective,
                                                         const AlgorithmOptions& options) {
    if (auto why = takes_no_options(options)) return why;
    if (auto why = folds_nothing(collective)) return why;
    return PlannedPromise(machine, collective).misfit();
}

Start make_promise_shortest_paths(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return following(PlannedPromise(machine, collective).plan(), machine, collective);
}

PlanSize plan_of_promise_shortest_paths(const Machine& machine, const Collective& collective) {
    return plan_of_shortest_paths(PlannedPromise(machine, collective).journeys());
}

ExpectedCost expect_promise_shortest_paths(const Machine& machine, const Collective& collective,
                                           const AlgorithmOptions&) {
    const PlannedPromise planned(machine, collective);
    if (plan_bytes(plan_of_shortest_paths(planned.journeys())) > plan_bytes_counted) return cost_of_shortest_paths();
    return counted_cost(planned.plan(), machine, collective);
}

}  // namespace

std::vector<Algorithm> algorithms_in_permutation_shortest_paths() {
    const Algorithm of_promise{
        .operation = Operation::promise,
        .name = "shortest-paths",
        .rule =
            "each packet along a shortest path from the nearest node that owns it, a link a round; of those that "
            "compete, "
            "those with the longest way to go first",
        .needs =
            "packets that one node each lacks; any small graph, SF or WH, any k, any duplex, pairwise or not, "
            "combining or not",
        .cost = "measured; with all ports, full duplex and combining the largest distance in rounds",
        .source = "greedy routing, farthest first (Leighton 1992, 1.7)",
        .misfit = misfit_promise_shortest_paths,
        .make = make_promise_shortest_paths,
        .expect = expect_promise_shortest_paths,
        .plan = plan_of_promise_shortest_paths,
        .with_many = WithMany::own,
        .single_links = true,
    };
    return {of_promise,
            {
                .operation = Operation::permutation,
                .name = "shortest-paths",
                .rule = "all packets along shortest paths, a link a round; of those that compete, those with the "
                        "longest way to "
                        "go first",
                .needs = "any small graph, SF or WH, any k, any duplex, pairwise or not, combining or not",
                .cost = "measured; with all ports, full duplex and combining the largest distance in rounds; with "
                        "single packets M "
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
