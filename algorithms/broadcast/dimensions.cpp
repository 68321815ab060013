/// @file dimensions.cpp   Broadcast on Knoedel graphs, the fewest rounds for every even N (model.md section 7).
#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/knoedel_gossip.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// One-to-all broadcast on Knoedel's graph: the gossip with one packet.
///
/// Machine   Knoedel graph of N nodes and degree floor(log2 N), store-and-forward or wormhole, any k
/// Gives     every node holds the source's packet
/// Costs     rounds ceil(log2 N), the lower bound; work N - 1
/// Idea      Along dimension 0, 1, ..., and 0 again, each informed node sends to a neighbour that lacks the packet.
/// Source    Knoedel 1975; model.md section 7
Program broadcast_along_dimensions(Node& self, NodeId source, const Copies& copies) {
    const NodeId nodes = self.nodes();
    const KnoedelGossip gossip(nodes, self.id());
    if (self.id() != source) co_await self.receive();
    for (Round round = gossip.knows(source) + 1; round <= KnoedelGossip::rounds(nodes); ++round) {
        const Port port = gossip.port(round);
        if (KnoedelGossip(nodes, self.neighbour(port)).knows(source) != round) continue;
        co_await self.until(round);
        co_await self.send(port, copies.message());
    }
}

std::optional<std::string> misfit_broadcast_dimensions(const Machine& machine, const Collective&,
                                                       const AlgorithmOptions& options) {
    return first_of({needs_knoedel(machine), takes_no_options(options)});
}

Start make_broadcast_dimensions(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId source = collective.root;
    return {[source, copies = Copies(machine, collective)](Node& self) {
                return broadcast_along_dimensions(self, source, copies);
            },
            {source}};
}

ExpectedCost expect_broadcast_dimensions(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t rounds = KnoedelGossip::rounds(nodes);
    return {rounds,
            nodes - 1,
            rounds,
            rounds,
            {fmt::format("the informed nodes double in a round: ceil(log2 {}) = {}", nodes, counted(rounds, "round")),
             fmt::format("every node but the source receives once, over one link: work {}", nodes - 1)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_dimensions() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "dimensions",
            .rule = "along dimension 0, 1, ..., and 0 again, send to each neighbour that lacks the packet",
            .needs = "knoedel:floor(log2 N),N, SF or WH, any k",
            .cost = "L(N) rounds for every even N",
            .source = "Knoedel 1975; model section 7",
            .misfit = misfit_broadcast_dimensions,
            .make = make_broadcast_dimensions,
            .expect = expect_broadcast_dimensions,
            .single_links = true,
        },
        Operation::reduce);
}

}  // namespace kport
