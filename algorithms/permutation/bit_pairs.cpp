/// @file bit_pairs.cpp   Permutations of the bits of the address on a hypercube, two bits at a time.
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Pair a of the bits that are swapped: transpose pairs bit i with i + n/2, bit reversal i with n-1-i.
struct BitPair {
    int low;
    int high;
};
BitPair bit_pair(Permutation::Kind kind, int a, int n) {
    return {a, kind == Permutation::Kind::transpose ? a + n / 2 : n - 1 - a};
}

/// Transpose or bit reversal on a hypercube.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, any k, also half duplex or pairwise; combining where
///           nodes have several packets
/// Gives     every node holds the packets for it
/// Costs     rounds 2 floor(n / 2), the largest distance; work N floor(n / 2); volume 2 M floor(n / 2) packets
/// Idea      Pair by pair: nodes whose bits a and b differ send across a; in the next round those packets go on across
///           b. So the two bits are swapped.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.6
Program swap_bit_pairs(Node& self, const Hypercube& cube, Permutation::Kind kind, std::uint64_t packets) {
    const int n = cube.dimensions();
    PacketSet latest = packets_of({static_cast<std::uint32_t>(self.id())}, packets);
    for (int a = 0; a < n / 2; ++a) {
        const BitPair pair = bit_pair(kind, a, n);
        const bool differ = ((self.id() >> pair.low ^ self.id() >> pair.high) & 1) != 0;
        co_await self.until(static_cast<Round>(2 * a + 1));
        if (differ) co_await self.pass(cube.port(pair.low), latest);
        const Arrival arrival = co_await self.receive(cube.port(differ ? pair.high : pair.low));
        const PacketSet came = arrival.packets();
        if (differ) latest = came;
        if (!differ) co_await self.pass(cube.port(pair.high), came);
    }
}

std::optional<std::string> misfit_permutation_bit_pairs(const Machine& machine, const Collective& collective,
                                                        const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine),
                     unless(collective.permutation.kind == Permutation::Kind::transpose ||
                                collective.permutation.kind == Permutation::Kind::bit_reversal,
                            "needs permutation transpose or bit-reversal"),
                     needs_table(machine), takes_no_options(options)});
}

Start make_permutation_bit_pairs(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const Hypercube* cube = as_hypercube(machine);
    return {[topology = machine.topology, cube, kind = collective.permutation.kind,
             packets = collective.packets_each](Node& self) { return swap_bit_pairs(self, *cube, kind, packets); },
            {},
            true};
}

ExpectedCost expect_permutation_bit_pairs(const Machine& machine, const Collective& collective,
                                          const AlgorithmOptions&) {
    const auto pairs = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions() / 2);
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t m = collective.packets_each;
    return {2 * pairs,
            nodes * pairs,
            2 * pairs,
            2 * m * pairs,
            {fmt::format("{} pairs of bits change places, two rounds each: {}, the largest distance", pairs,
                         counted(2 * pairs, "round")),
             fmt::format("half of the nodes send in each round, over one link: work {} * {} = {}, volume {}", nodes,
                         pairs, nodes * pairs, counted(2 * m * pairs, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_permutation_bit_pairs() {
    return {{
        .operation = Operation::permutation,
        .name = "bit-pairs",
        .rule =
            "pair by pair of bits: nodes whose bits differ send across one, then the packets go on across the other",
        .needs = "hypercube, transpose or bit reversal, SF or WH, any k, any duplex",
        .cost = "2 floor(n/2) rounds, work N floor(n/2), volume 2 M floor(n/2) packets",
        .source = "Kumar et al. ch. 4.6",
        .misfit = misfit_permutation_bit_pairs,
        .make = make_permutation_bit_pairs,
        .expect = expect_permutation_bit_pairs,
        .single_links = true,
    }};
}

}  // namespace kport
