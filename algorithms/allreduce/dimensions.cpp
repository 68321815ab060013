/// @file dimensions.cpp   All-reduce on Knoedel graphs of 2^D nodes (model.md section 7).
#include <bit>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/knoedel_gossip.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-reduce on Knoedel's graph: as its allgather, with sums in place of packets.
///
/// Machine   Knoedel graph of 2^D nodes and degree D, store-and-forward or wormhole, any k, pairwise or not, full duplex ports
///           or two, full duplex links. Where N is no power of two the last exchange would bring contributions twice.
/// Gives     every node holds the fold of all contributions
/// Costs     rounds D, work N D, volume D packets
/// Idea      Neighbours along dimension 0, 1, ... exchange their sums, which have no contribution in common.
/// Source    Knoedel 1975; model.md section 7
Program allreduce_along_dimensions(Node& self) {
    const KnoedelGossip gossip(self.nodes(), self.id());
    Value sum = self.contribution();
    for (Round round = 1; round <= KnoedelGossip::rounds(self.nodes()); ++round) {
        co_await self.send(gossip.port(round), sum);
        const Arrival arrival = co_await self.receive(gossip.port(round));
        sum = self.merge(sum, arrival.value());
    }
    self.result(sum);
}

std::optional<std::string> misfit_allreduce_dimensions(const Machine& machine, const Collective&,
                                                       const AlgorithmOptions& options) {
    return first_of({needs_knoedel(machine),
                     unless(std::has_single_bit(machine.topology->nodes()), "needs a power of two nodes"),
                     needs_send_beside_receive(machine), needs_full_links(machine), takes_no_options(options)});
}

Start make_allreduce_dimensions(const Machine&, const Collective&, const AlgorithmOptions&) {
    return {allreduce_along_dimensions, {}, true};
}

ExpectedCost expect_allreduce_dimensions(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t rounds = KnoedelGossip::rounds(nodes);
    return {rounds,
            nodes * rounds,
            rounds,
            rounds,
            {fmt::format("what a sum holds doubles in a round: log2 {} = {}", nodes, counted(rounds, "round")),
             fmt::format("every node sends one value in every round, over one link: work {} * {} = {}, volume {}",
                         nodes, rounds, nodes * rounds, counted(rounds, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allreduce_dimensions() {
    return {{
        .operation = Operation::allreduce,
        .name = "dimensions",
        .rule = "neighbours along dimension 0, 1, ... exchange and fold their sums",
        .needs = "knoedel:D,2^D, SF or WH, any k, pairwise or not, full duplex or two ports, full duplex links",
        .cost = "D rounds, work N D, volume D packets",
        .source = "Knoedel 1975; model section 7",
        .misfit = misfit_allreduce_dimensions,
        .make = make_allreduce_dimensions,
        .expect = expect_allreduce_dimensions,
        .single_links = true,
        .merges = true,
        .agrees = [](const Topology& topology) -> std::optional<Agrees> {
            return topology.nodes() <= 4 ? Agrees::always : Agrees::no;
        },
    }};
}

}  // namespace kport
