/// @file up_down.cpp   Prefix sums on meshes and tori, along the lines of the blocks' last nodes (model.md section 6).
#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/node_values.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Returns the first dimension from which on v is a last node: in all later ones it has the last coordinate. It takes
/// part along the lines of the dimensions from there on.
int first_line(const Grid& mesh, NodeId v) {
    int i = mesh.dimensions() - 1;
    while (i > 0 && mesh.coordinate(v, i) + 1 == mesh.side(i)) --i;
    return i;
}

/// Prefix sums: node v gets the combination of the contributions of nodes 0 .. v, in this order.
///
/// Machine   mesh or line, store-and-forward or wormhole, any k; torus or ring, using only the links of the mesh
/// Gives     node v holds the contributions of 0 .. v, folded in order
/// Costs     rounds the sum of n_i - 1, and again of all sides but the first; volume as many packets. A line: N - 1, the minimum
/// Idea      In row-major order the nodes with the same first coordinates are a block of consecutive numbers. Up: along the
///           line of the blocks' last nodes goes the sum so far, from the last dimension to the first, and each keeps what came
///           as the prefix of its block. Down: what stands before a block goes back to the last nodes of its sub-blocks, and
///           each puts its prefix behind it.
/// Source    model.md section 6, derived for kport
Program prefix_sums_up_and_down(Node& self, const Grid& mesh) {
    const int first = first_line(mesh, self.id());
    const int dimensions = mesh.dimensions();
    const auto joined = [&](const std::optional<Value>& left, const Value& right) {
        return left ? self.fold(*left, right) : right;
    };
    const auto coordinate = [&](int i) { return mesh.coordinate(self.id(), i); };
    const auto goes_on = [&](int i) { return coordinate(i) + 1 < mesh.side(i); };

    const Value own = self.contribution();
    std::vector<std::optional<Value>> prefix(static_cast<std::size_t>(dimensions));
    Value sum = own;
    for (int i = dimensions - 1; i >= first; --i) {
        if (coordinate(i) > 0) {
            const Arrival arrival = co_await self.receive(Grid::minus(i));
            prefix[static_cast<std::size_t>(i)] = arrival.value();
            sum = self.fold(arrival.value(), sum);
        }
        if (goes_on(i)) co_await self.send(Grid::plus(i), sum);
    }

    std::optional<Value> before;  // sum of all nodes before the current blocks
    const NodeId begin_of_block = first == 0 ? 0 : self.id() / mesh.stride(first - 1);
    for (int i = first; i < dimensions; ++i) {
        if (i > 0 && (before || begin_of_block > 0)) {
            if (goes_on(i)) {
                const Arrival arrival = co_await self.receive(Grid::plus(i));
                before = arrival.value();
            }
            if (coordinate(i) > 0) co_await self.send(Grid::minus(i), *before);
        }
        const std::optional<Value>& behind = prefix[static_cast<std::size_t>(i)];
        if (behind) before = joined(before, *behind);
    }
    PrefixSum result(self, own);
    if (before) result.put_in_front(*before);
    result.give();
}

/// Whether forward and backward link of a side are the same.
bool wraps_side_of_two(const Grid& grid) {
    for (int i = 0; i < grid.dimensions(); ++i)
        if (grid.wraps() && grid.side(i) == 2) return true;
    return false;
}

std::optional<std::string> misfit_scan_up_down(const Machine& machine, const Collective&,
                                               const AlgorithmOptions& options) {
    const Grid* grid = as_grid(machine);
    return first_of({unless(grid != nullptr && !wraps_side_of_two(*grid),
                            "needs a mesh or line, or a torus or ring with no side of 2"),
                     takes_no_options(options)});
}

Start make_scan_up_down(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Grid* mesh = as_grid(machine);
    return {[topology = machine.topology, mesh](Node& self) { return prefix_sums_up_and_down(self, *mesh); }, {}, true};
}

ExpectedCost expect_scan_up_down(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Grid& mesh = *as_grid(machine);
    const NodeId nodes = mesh.nodes();
    std::uint64_t up = 0;
    std::uint64_t down = 0;
    for (int i = 0; i < mesh.dimensions(); ++i) {
        if (up > 0) down += mesh.side(i) - 1;
        up += mesh.side(i) - 1;
    }
    const std::uint64_t rounds = up + down;
    return {
        rounds,
        2 * (nodes - 1) - up,
        rounds,
        rounds,
        {fmt::format("up: the sides less 1 each, {}; down: the same but for the first side, {}", counted(up, "round"),
                     counted(down, "round")),
         fmt::format("up every node but the last sends once; down a node of each line that is not in a first block: "
                     "work 2 (N - 1) - {} = {}",
                     up, 2 * (nodes - 1) - up),
         fmt::format("a partial sum has the size of one packet whatever it sums up: volume {}",
                     counted(rounds, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_scan_up_down() {
    return with_exclusive({
        .operation = Operation::scan,
        .name = "up-down",
        .rule = "sums along the lines of the blocks' last nodes, last dimension first; then what stands before a block "
                "goes "
                "back into it",
        .needs = "mesh, line, torus or ring with no side of 2, SF or WH, any k",
        .cost =
            "the sum of n_i - 1 and again of all sides but the first, in rounds and packets; a line N-1, the minimum",
        .source = "model section 6",
        .misfit = misfit_scan_up_down,
        .make = make_scan_up_down,
        .expect = expect_scan_up_down,
        .single_links = true,
        .in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"},
    });
}

}  // namespace kport
