/// @file euler_rda.cpp   Scatter in ceil(log2 N) wormhole rounds on any connected graph (model.md section 10, 1 i).
#include <memory>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/euler_tour.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/segment.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// One-to-all scatter by recursive doubling on the preorder of a spanning tree.
///
/// Machine   any connected graph, wormhole, 1-port, full duplex links, combining
/// Gives     every node holds its own packet
/// Costs     rounds ceil(log2 N), volume N - 1 packets: both lower bounds on every graph; long paths are the price
/// Idea      Number the tree in depth-first preorder. The first node of an interval of numbers keeps the greater half and
///           sends to the first node of the other the packets of that half. Tree paths of disjoint intervals use disjoint
///           parts of the Euler tour: no shared channel.
/// Source    model.md section 10, 1 (i), derived for kport and verified on 300 random graphs
Program scatter_along_euler_tour(Node& self, const EulerTour& tour, NodeId root) {
    if (self.id() != root) co_await self.receive();
    const std::uint64_t m = self.collective().packets_each;
    const std::uint64_t number = tour.number(self.id());
    Segment mine = given_to(number, self.topology().nodes(), 0, Keep::greater).segment;
    while (mine.size() > 1) {
        const Halving step = halve(mine, number, Keep::greater);
        const NodeId receiver = tour.node(step.receiver);
        const std::vector<Port> route = tour.route(self.id(), receiver);
        co_await self.pass_along(receiver, route, packets_of(tour.packets_for(step.given), m));
        mine = step.kept;
    }
}

std::optional<std::string> misfit_scatter_euler_rda(const Machine& machine, const Collective&,
                                                    const AlgorithmOptions& options) {
    return first_of({needs_tour(machine), needs_full_links(machine), needs_one_port(machine), needs_combining(machine),
                     needs_table(machine), takes_no_options(options)});
}

Start make_scatter_euler_rda(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId root = collective.root;
    const auto tour = std::make_shared<EulerTour>(*machine.topology, root);
    return {
        [topology = machine.topology, tour, root](Node& self) { return scatter_along_euler_tour(self, *tour, root); },
        {root}};
}

ExpectedCost expect_scatter_euler_rda(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const unsigned rounds = ceil_log2(nodes);
    return {rounds,
            std::nullopt,
            std::nullopt,
            nodes - 1,
            {fmt::format("the interval of {} preorder numbers is halved in every round: ceil(log2 {}) = {}", nodes,
                         nodes, counted(rounds, "round")),
             fmt::format("the root keeps the greater half, so no bundle is larger than its own: volume {} - 1 = {}",
                         nodes, counted(nodes - 1, "packet")),
             "the tree paths of disjoint intervals lie in disjoint parts of the Euler tour: no channel is shared",
             "how long they are depends on the tree"}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_scatter_euler_rda() {
    return with_reversal(
        {
            .operation = Operation::scatter,
            .name = "euler-rda",
            .rule =
                "recursive doubling on the depth-first preorder of a spanning tree (keep the greater part), along tree "
                "paths",
            .needs = "any connected graph, WH, 1-port, full duplex links, combining",
            .cost = "L(N) rounds and volume N-1 packets on every graph; long paths: work and path sum are measured",
            .source = "model section 10, item 1 (i)",
            .misfit = misfit_scatter_euler_rda,
            .make = make_scatter_euler_rda,
            .expect = expect_scatter_euler_rda,
            .table_bytes_per_node = EulerTour::bytes_per_node,
        },
        Operation::gather);
}

}  // namespace kport
