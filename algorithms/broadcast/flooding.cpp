/// @file flooding.cpp   Flooding, pure and controlled (model.md sections 3.1 and 3.2).
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/spanning_tree.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// One-to-all broadcast by pure flooding.
///
/// Machine   any graph, all-port, store-and-forward or wormhole
/// Gives     every node holds the source's packet; nodes on cycles receive it more than once
/// Costs     every node is informed within ecc(s) rounds; one more round if two of the farthest nodes are neighbours;
///           work: links between levels + 2 * links within levels
/// Idea      On the first receipt copy to all neighbours that have not delivered so far; ignore later receipts.
/// Source    model.md section 3.1, reading A
Program broadcast_by_flooding(Node& self, NodeId source, Cargo message) {
    std::vector<Port> delivered;
    if (self.id() != source) {
        const Arrival first = co_await self.receive();
        delivered.push_back(first.port);
        while (self.has_arrival()) {
            const Arrival same_round = co_await self.receive();
            delivered.push_back(same_round.port);
        }
    }
    for (Port port = 0, labels = self.topology().labels(self.id()); port < labels; ++port) {
        const bool there = self.topology().across(self.id(), port).node != no_node;
        if (there && std::find(delivered.begin(), delivered.end(), port) == delivered.end())
            co_await self.send(port, message);
    }
}

std::optional<std::string> misfit_flooding(const Machine& machine, const Collective&, const AlgorithmOptions& options) {
    return first_of(
        {needs_all_ports(machine), needs_full_duplex(machine), needs_full_links(machine), takes_no_options(options)});
}

Start make_flooding(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId source = collective.root;
    return {[source, copies = Copies(machine, collective)](Node& self) {
                return broadcast_by_flooding(self, source, copies.message());
            },
            {source}};
}

ExpectedCost expect_flooding(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const Hops exc = machine.topology->eccentricity(collective.root);
    return {std::nullopt,
            std::nullopt,
            std::nullopt,
            std::nullopt,
            {fmt::format("every node is informed after as many rounds as it is links away, the farthest after {}", exc),
             "the flood goes on for one more round if two of the farthest nodes are neighbours",
             "a link between two levels carries one message, a link within a level two",
             machine.topology->bipartite()
                 ? "the graph is bipartite: no link lies within a level, so NOHO holds; NODUP holds on a tree alone"
                 : "a link within a level breaks NOHO in the wide reading; NODUP holds on a tree alone"}};
}

/// One-to-all broadcast along the shortest-path tree: controlled flooding.
///
/// Machine   any graph, store-and-forward or wormhole, any k
/// Gives     every node holds the source's packet, received once
/// Costs     all-port: rounds ecc(s), work N - 1, optimal in every quantity; with fewer ports as the tree's order takes
/// Idea      Forward to the neighbours of which this node is the lowest numbered neighbour nearer to the source.
/// Source    model.md section 3.2
Program broadcast_along_shortest_paths(Node& self, NodeId source, Cargo message) {
    const Topology& topology = self.topology();
    if (self.id() != source) co_await self.receive();
    const Hops distance = topology.distance(source, self.id());
    if (distance == topology.eccentricity(source)) co_return;
    for (Port port = 0, labels = topology.labels(self.id()); port < labels; ++port) {
        const NodeId w = topology.across(self.id(), port).node;
        if (w == no_node || topology.distance(source, w) != distance + 1) continue;
        if (is_nearer_neighbour(topology, source, w, self.id())) co_await self.send(port, message);
    }
}

std::optional<std::string> misfit_controlled(const Machine&, const Collective&, const AlgorithmOptions& options) {
    return takes_no_options(options);
}

Start make_controlled(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId source = collective.root;
    return {[source, copies = Copies(machine, collective)](Node& self) {
                return broadcast_along_shortest_paths(self, source, copies.message());
            },
            {source}};
}

ExpectedCost expect_controlled(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const Hops exc = machine.topology->eccentricity(collective.root);
    const std::string work = fmt::format("every node but the source receives once, over one link: work {}", nodes - 1);
    if (machine.widest() < machine.topology->max_degree())
        return {std::nullopt,
                nodes - 1,
                std::nullopt,
                std::nullopt,
                {"a node serves its children in the order of its ports, k a round: no closed form is known", work}};
    return {exc,
            nodes - 1,
            exc,
            exc,
            {fmt::format("a node at distance d is informed in round d; the farthest is {} away", counted(exc, "link")),
             work}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_flooding() {
    std::vector<Algorithm> rows = with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "controlled-flooding",
            .rule = "forward along the shortest-path tree in which the parent is the lowest numbered neighbour nearer "
                    "to the "
                    "source",
            .needs = "any graph, SF or WH, any k",
            .cost = "all ports: ecc(s) rounds; fewer ports: measured, children are served in the order of their ports",
            .source = "model section 3.2",
            .misfit = misfit_controlled,
            .make = make_controlled,
            .expect = expect_controlled,
            .single_links = true,
        },
        Operation::reduce);
    rows.push_back({
        .operation = Operation::broadcast,
        .name = "flooding",
        .rule = "on the first receipt copy to all neighbours that have not delivered so far",
        .needs = "any graph, all-port, full duplex ports and links, not pairwise, SF or WH; breaks NODUP on graphs "
                 "with a cycle, by design",
        .cost = "every node is informed within ecc(s) rounds, one more round may follow; work: links between levels "
                "and twice the links within levels",
        .source = "model section 3.1, reading A",
        .misfit = misfit_flooding,
        .make = make_flooding,
        .expect = expect_flooding,
        .remark = "flooding does this on every graph with a cycle; controlled-flooding keeps a tree",
        .by_default = false,
        .breaks =
            [](const Machine& machine) {
                const Topology& graph = *machine.topology;
                return unless(graph.channels() == 2 * (graph.nodes() - 1),
                              "breaks NODUP on graphs with a cycle, by design");
            },
    });
    return rows;
}

}  // namespace kport
