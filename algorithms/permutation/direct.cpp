/// @file direct.cpp   Permutations on a wormhole hypercube: all packets straight to their nodes.
#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/machine/channel_table.hpp"

namespace kport {

namespace {

/// The round in which each node may send, and the cost of the rounds.
struct Grants {
    std::vector<Round> round;  ///< by node; empty: all in round 1
    std::uint64_t rounds = 0;
    Hops work = 0;
    Hops path_sum = 0;
};

/// Grants claims in the order of node numbers: a path is granted if its channels are free, else the node claims again
/// in the next round. Every node receives one message, so receivers are free. O(hops of all claims).
Grants grants(const Hypercube& cube, const Permutation& permutation) {
    Grants all;
    ChannelTable taken(cube);
    std::vector<NodeId> waiting;
    for (NodeId v = 0; v < cube.nodes(); ++v)
        if (permutation.target(v, cube.nodes()) != v) waiting.push_back(v);
    all.round.resize(cube.nodes());
    const auto on_path = [&](NodeId v, NodeId to, const auto& visit) {
        for (NodeId at = v; at != to; at = cube.across(at, cube.route(at, to)).node)
            if (!visit(at, cube.route(at, to))) return false;
        return true;
    };
    while (!waiting.empty()) {
        taken.restart(static_cast<Round>(++all.rounds), waiting.size() * cube.ports());
        Hops longest = 0;
        std::erase_if(waiting, [&](NodeId v) {
            const NodeId to = permutation.target(v, cube.nodes());
            if (!on_path(v, to, [&](NodeId at, Port port) { return taken.owner(at, port) == no_node; })) return false;
            on_path(v, to, [&](NodeId at, Port port) {
                taken.take(at, port, v);
                return true;
            });
            all.round[v] = static_cast<Round>(all.rounds);
            all.work += cube.distance(v, to);
            longest = std::max(longest, cube.distance(v, to));
            return true;
        });
        all.path_sum += longest;
    }
    return all;
}

/// Any permutation on a wormhole hypercube.
///
/// Machine   hypercube of 2^n nodes, wormhole, any k, full duplex ports and links; combining where nodes have several packets
/// Gives     every node holds the packets for it
/// Costs     a shift: 1 round; transpose and bit reversal: 2^(floor(n / 2) - 1) rounds (measured for n <= 7)
/// Idea      Each node sends directly to its target along the E-cube route, in the first round in which earlier nodes
///           leave the channels free.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.6
Program permute_directly(Node& self, const Permutation& permutation, std::uint64_t packets, Round round) {
    const NodeId to = permutation.target(self.id(), self.nodes());
    const NodeId from = permutation.source(self.id(), self.nodes());
    const PacketSet own = packets_of({static_cast<std::uint32_t>(self.id())}, packets);
    if (to != self.id()) {
        co_await self.until(round);
        co_await self.pass_to(to, own);
    }
    if (from != self.id() && from != no_node) co_await self.receive_from(from);
}

std::optional<std::string> misfit_permutation_direct(const Machine& machine, const Collective&,
                                                     const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), needs_wh(machine), needs_full_duplex(machine), needs_full_links(machine),
                     needs_partners(machine), needs_table(machine), takes_no_options(options)});
}

Start make_permutation_direct(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto all = std::make_shared<const Grants>(grants(*as_hypercube(machine), collective.permutation));
    return {[all, permutation = collective.permutation, packets = collective.packets_each](Node& self) {
                return permute_directly(self, permutation, packets, all->round[self.id()]);
            },
            {},
            true};
}

ExpectedCost expect_permutation_direct(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const Grants all = grants(*as_hypercube(machine), collective.permutation);
    const std::uint64_t volume = all.rounds * collective.packets_each;
    return {all.rounds,
            all.work,
            all.path_sum,
            volume,
            {fmt::format("paths that share a channel take turns: {}, volume {}", counted(all.rounds, "round"),
                         counted(volume, "packet")),
             fmt::format("the distances add up to work {}, the longest of each round to path sum {}", all.work,
                         all.path_sum)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_permutation_direct() {
    return {{
        .operation = Operation::permutation,
        .name = "direct",
        .rule =
            "each node sends straight to its target, in the first round in which those before it leave the path free",
        .needs = "hypercube, WH, any k, full duplex ports and links, not pairwise",
        .cost = "a shift: 1 round; transpose, bit reversal: 2^(floor(n/2)-1) rounds; work the sum of the distances",
        .source = "Kumar et al. ch. 4.6",
        .misfit = misfit_permutation_direct,
        .make = make_permutation_direct,
        .expect = expect_permutation_direct,
        .table_bytes_per_node = 4,
    }};
}

}  // namespace kport
