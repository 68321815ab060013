/// @file euler_rda.cpp   ceil(log2 N) wormhole rounds on any connected graph (model.md section 10, 1 i).
#include <memory>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/euler_tour.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/segment.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// One-to-all broadcast by recursive doubling on the preorder of a spanning tree.
///
/// Machine   any connected graph, wormhole, 1-port, full duplex links
/// Gives     every node holds the source's packet
/// Costs     rounds ceil(log2 N), the lower bound on every graph; long paths are the price
/// Idea      Number the tree in depth-first preorder. The first node of an interval of numbers sends to the first node of
///           its second half. Tree paths of disjoint intervals use disjoint parts of the Euler tour: no shared channel.
/// Source    model.md section 10, 1 (i), derived for kport and verified on 300 random graphs
Program broadcast_along_euler_tour(Node& self, const EulerTour& tour, NodeId source, Cargo message) {
    const NodeId nodes = self.topology().nodes();
    const std::uint64_t number = tour.number(self.id());
    Segment mine = given_to(number, nodes, 0, Keep::smaller).segment;
    if (self.id() == source) {
        mine = {0, nodes};
    } else {
        co_await self.receive();
    }
    while (mine.size() > 1) {
        const Halving step = halve(mine, number, Keep::smaller);
        const NodeId receiver = tour.node(step.receiver);
        const std::vector<Port> route = tour.route(self.id(), receiver);
        co_await self.send_along(receiver, route, message);
        mine = step.kept;
    }
}

std::optional<std::string> misfit_broadcast_euler_rda(const Machine& machine, const Collective&,
                                                      const AlgorithmOptions& options) {
    return first_of({needs_tour(machine), needs_full_links(machine), needs_one_port(machine), needs_table(machine),
                     takes_no_options(options)});
}

Start make_broadcast_euler_rda(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId source = collective.root;
    const auto tour = std::make_shared<EulerTour>(*machine.topology, source);
    return {[topology = machine.topology, tour, source, copies = Copies(machine, collective)](Node& self) {
                return broadcast_along_euler_tour(self, *tour, source, copies.message());
            },
            {source}};
}

ExpectedCost expect_broadcast_euler_rda(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const unsigned rounds = ceil_log2(nodes);
    return {rounds,
            std::nullopt,
            std::nullopt,
            rounds,
            {fmt::format("the interval of {} preorder numbers is halved in every round: ceil(log2 {}) = {}", nodes,
                         nodes, counted(rounds, "round")),
             "the tree paths of disjoint intervals lie in disjoint parts of the Euler tour: no channel is shared",
             "their lengths depend on the tree"}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_euler_rda() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "euler-rda",
            .rule = "recursive doubling on the depth-first preorder of a spanning tree, along tree paths",
            .needs = "any connected graph, WH, 1-port, full duplex links",
            .cost = "L(N) rounds on every graph; long paths: work and path sum are measured",
            .source = "model section 10, item 1 (i)",
            .misfit = misfit_broadcast_euler_rda,
            .make = make_broadcast_euler_rda,
            .expect = expect_broadcast_euler_rda,
            .table_bytes_per_node = EulerTour::bytes_per_node,
        },
        Operation::reduce);
}

}  // namespace kport
