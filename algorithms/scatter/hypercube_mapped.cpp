/// @file hypercube_mapped.cpp   The hypercube's scatter on wormhole lines and meshes (model.md section 5.3).
#include <bit>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// One-to-all scatter by the hypercube's algorithm, its nodes laid out in the order of their numbers.
///
/// Machine   line or mesh whose sides are powers of two, wormhole, 1-port, combining
/// Gives     every node holds its own packet
/// Costs     rounds log2 N, volume N - 1 packets, path sum sum (n_i - 1), from every source
/// Idea      The partner's coordinate differs in one bit, the highest of the first dimension first: node numbers are
///           row-major, so these are the bits of the number from the highest down. The bundle holds the packets for all nodes
///           with the partner's higher bits. Paths stay within such blocks of nodes and share no channel.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.4; model.md section 5.3
Program scatter_mapped(Node& self, NodeId root) {
    const std::uint64_t m = self.collective().packets_each;
    NodeId half = self.topology().nodes() / 2;
    if (self.id() != root) {
        co_await self.receive();
        half = (NodeId{1} << std::countr_zero(self.id() ^ root)) / 2;  // it differs from the root in no lower bit
    }
    for (; half > 0; half /= 2) {
        const NodeId partner = self.id() ^ half;
        const NodeId first = partner / half * half;
        co_await self.pass_to(partner, packets_of(PacketSet::range(first, first + half), m));
    }
}

bool all_sides_powers_of_two(const Grid& grid) {
    for (int i = 0; i < grid.dimensions(); ++i)
        if (!std::has_single_bit(grid.side(i))) return false;
    return true;
}

std::optional<std::string> misfit_scatter_hypercube_mapped(const Machine& machine, const Collective&,
                                                           const AlgorithmOptions& options) {
    const Grid* grid = as_grid(machine);
    return first_of({unless(grid != nullptr && !grid->wraps() && all_sides_powers_of_two(*grid),
                            "needs a line or mesh whose sides are powers of two"),
                     needs_wh(machine), needs_one_port(machine), needs_combining(machine), takes_no_options(options)});
}

Start make_scatter_hypercube_mapped(const Machine&, const Collective& collective, const AlgorithmOptions&) {
    const NodeId root = collective.root;
    return {[root](Node& self) { return scatter_mapped(self, root); }, {root}};
}

ExpectedCost expect_scatter_hypercube_mapped(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Grid& grid = *as_grid(machine);
    const NodeId nodes = grid.nodes();
    ExpectedCost cost{static_cast<std::uint64_t>(std::countr_zero(nodes)), 0, 0, nodes - 1, {}};
    std::uint64_t lines = 1;
    for (int i = 0; i < grid.dimensions(); ++i) {
        const NodeId n = grid.side(i);
        const auto bits = static_cast<std::uint64_t>(std::countr_zero(n));
        *cost.work += lines * bits * (n / 2);
        *cost.path_sum += n - 1;
        cost.derivation.push_back(fmt::format(
            "{} line{} of {}: partners {} apart, then half as far: {}, path sum {}, {}{}", lines, lines == 1 ? "" : "s",
            n, n / 2, counted(bits, "round"), n - 1, counted(bits * (n / 2), "hop"), lines == 1 ? "" : " each"));
        lines *= n;
    }
    cost.derivation.push_back(fmt::format("the bundle begins with {} / 2 packets and halves every time: volume {}",
                                          nodes, counted(nodes - 1, "packet")));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_scatter_hypercube_mapped() {
    return with_reversal(
        {
            .operation = Operation::scatter,
            .name = "hypercube-mapped",
            .rule = "the hypercube's recursive halving: the partner's coordinate differs in one bit, the highest first",
            .needs = "line, mesh with sides that are powers of two, WH, 1-port, combining",
            .cost = "log2 N rounds, volume N-1 packets, path sum the sum of n_i - 1, from every source; work N/2 log2 "
                    "N on a line",
            .source = "Kumar et al. ch. 4.4; model section 5.3",
            .misfit = misfit_scatter_hypercube_mapped,
            .make = make_scatter_hypercube_mapped,
            .expect = expect_scatter_hypercube_mapped,
        },
        Operation::gather);
}

}  // namespace kport
