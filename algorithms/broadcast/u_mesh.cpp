/// @file u_mesh.cpp   Recursive doubling on the lexicographic chain of a mesh (model.md section 10, 1 iii).
#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/segment.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// One-to-all broadcast on a wormhole mesh along the chain of all nodes in lexicographic order.
///
/// Machine   mesh or line, wormhole, 1-port
/// Gives     every node holds the source's packet
/// Costs     rounds ceil(log2 N)
/// Idea      Node numbers are row-major, so the chain is the order of the numbers: halve it recursively. With
///           dimension-ordered routes the messages of a round share no channel.
/// Source    McKinley, Xu, Esfahanian, Ni, IEEE TPDS 5(12) 1994
Program broadcast_along_chain(Node& self, NodeId source, Cargo message) {
    const NodeId nodes = self.topology().nodes();
    Segment mine{0, nodes};
    if (self.id() != source) {
        co_await self.receive();
        mine = given_to(self.id(), nodes, source, Keep::smaller).segment;
    }
    while (mine.size() > 1) {
        const Halving step = halve(mine, self.id(), Keep::smaller);
        co_await self.send_to(step.receiver, message);
        mine = step.kept;
    }
}

std::optional<std::string> misfit_broadcast_u_mesh(const Machine& machine, const Collective&,
                                                   const AlgorithmOptions& options) {
    const Grid* grid = as_grid(machine);
    return first_of({unless(grid != nullptr && !grid->wraps(), "needs a mesh or line"), needs_wh(machine),
                     needs_full_links(machine), needs_one_port(machine), takes_no_options(options)});
}

Start make_broadcast_u_mesh(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId source = collective.root;
    return {[source, copies = Copies(machine, collective)](Node& self) {
                return broadcast_along_chain(self, source, copies.message());
            },
            {source}};
}

ExpectedCost expect_broadcast_u_mesh(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const unsigned rounds = ceil_log2(nodes);
    return {
        rounds,
        std::nullopt,
        std::nullopt,
        rounds,
        {fmt::format("the chain of {} is halved in every round: ceil(log2 {}) = {}", counted(nodes, "node"), nodes,
                     counted(rounds, "round")),
         "the paths depend on how the halves lie in the mesh: their lengths are measured, no closed form is known"}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_u_mesh() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "u-mesh",
            .rule = "recursive doubling on the nodes in the order of their numbers, along dimension-ordered routes",
            .needs = "mesh, line, WH, 1-port, full duplex links",
            .cost = "L(N) rounds; long paths: work and path sum are measured",
            .source = "McKinley, Xu, Esfahanian, Ni, IEEE TPDS 5(12) 1994",
            .misfit = misfit_broadcast_u_mesh,
            .make = make_broadcast_u_mesh,
            .expect = expect_broadcast_u_mesh,
        },
        Operation::reduce);
}

}  // namespace kport
