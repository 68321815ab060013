/// @file dimensions.cpp   All-to-all broadcast on Knoedel graphs, the fewest rounds for every even N (model.md section 7).
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/knoedel_gossip.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Both nodes of some pairs.
PacketSet nodes_of(const KnoedelGossip::Pairs& pairs, NodeId half) {
    PacketSet nodes;
    for (const Progression& part : around(pairs.first, 1, pairs.count, half)) {
        nodes.add(block_of({}, part));
        nodes.add(block_of({}, {part.first + static_cast<std::uint32_t>(half), 1, part.count}));
    }
    return nodes;
}

/// All-to-all broadcast on Knoedel's graph.
///
/// Machine   Knoedel graph of N nodes and degree floor(log2 N), store-and-forward or wormhole, any k, pairwise or not, full
///           duplex ports or two, full duplex links, combining
/// Gives     every node holds all N packets
/// Costs     rounds ceil(log2 N), work N times the rounds, volume N - 1 packets: the least of rounds and volume
/// Idea      Neighbours along dimension 0, 1, ... exchange all that they know; if N is no power of two, those along
///           dimension 0 once more what is left.
/// Source    Knoedel 1975; model.md section 7
Program allgather_along_dimensions(Node& self) {
    const NodeId nodes = self.nodes();
    const KnoedelGossip gossip(nodes, self.id());
    for (Round round = 1; round <= KnoedelGossip::rounds(nodes); ++round) {
        const PacketSet known =
            round == 1 ? PacketSet::range(self.id(), self.id() + 1) : nodes_of(gossip.sent(round), nodes / 2);
        co_await self.send(gossip.port(round), packets_of(known, self.collective().packets_each));
        co_await self.receive(gossip.port(round));
    }
}

std::optional<std::string> misfit_allgather_dimensions(const Machine& machine, const Collective&,
                                                       const AlgorithmOptions& options) {
    return first_of({needs_knoedel(machine), needs_send_beside_receive(machine), needs_full_links(machine),
                     needs_combining(machine), needs_table(machine), takes_no_options(options)});
}

Start make_allgather_dimensions(const Machine&, const Collective&, const AlgorithmOptions&) {
    return {allgather_along_dimensions, {}, true};
}

ExpectedCost expect_allgather_dimensions(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t rounds = KnoedelGossip::rounds(nodes);
    return {rounds,
            nodes * rounds,
            rounds,
            nodes - 1,
            {fmt::format("what a node knows doubles in a round: ceil(log2 {}) = {}", nodes, counted(rounds, "round")),
             fmt::format("every node sends in every round, over one link: work {} * {} = {}", nodes, rounds,
                         nodes * rounds),
             fmt::format("the bundles are 1 + 2 + 4 + ... and what is left: volume {}", counted(nodes - 1, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_dimensions() {
    return {{
        .operation = Operation::allgather,
        .name = "dimensions",
        .rule = "neighbours along dimension 0, 1, ... exchange all they know, and along 0 again what is left",
        .needs =
            "knoedel:floor(log2 N),N, SF or WH, any k, pairwise or not, full duplex or two ports, full duplex links, "
            "combining",
        .cost = "L(N) rounds, volume N-1 packets, both the least; work N L(N)",
        .source = "Knoedel 1975; model section 7",
        .misfit = misfit_allgather_dimensions,
        .make = make_allgather_dimensions,
        .expect = expect_allgather_dimensions,
        .single_links = true,
    }};
}

}  // namespace kport
