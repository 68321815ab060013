#include "emulator/schedule/permutation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/grid.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport {
namespace {

constexpr std::string_view choices = "want shift:Q, transpose or bit-reversal";

NodeId side_of_square(NodeId nodes) {
    auto side = static_cast<NodeId>(std::sqrt(static_cast<double>(nodes)));
    while (side * side > nodes) --side;
    while ((side + 1) * (side + 1) <= nodes) ++side;
    return side;
}

NodeId with_bits_reversed(NodeId v, NodeId nodes) {
    NodeId reversed = 0;
    for (NodeId bit = 1; bit < nodes; bit <<= 1, v >>= 1) reversed = reversed << 1 | (v & 1);
    return reversed;
}

/// Returns why rows and columns cannot be swapped; empty where they can.
std::string_view why_no_transpose(const Topology& topology) {
    if (const auto* cube = dynamic_cast<const Hypercube*>(&topology))
        return cube->dimensions() % 2 == 0 ? "" : "is of odd dimension";
    const auto* grid = dynamic_cast<const Grid*>(&topology);
    if (grid == nullptr) return "has no rows and columns";
    if (grid->dimensions() != 2) return "is not of two dimensions";
    return grid->side(0) == grid->side(1) ? "" : "has more rows than columns, or fewer";
}

}  // namespace

NodeId Permutation::target(NodeId v, NodeId nodes) const {
    switch (kind) {
        case Kind::shift: return (v + by) % nodes;
        case Kind::transpose: {
            const NodeId side = side_of_square(nodes);
            return v % side * side + v / side;
        }
        case Kind::bit_reversal: return with_bits_reversed(v, nodes);
    }
    return v;
}

NodeId Permutation::source(NodeId v, NodeId nodes) const {
    return kind == Kind::shift ? (v + nodes - by) % nodes : target(v, nodes);  // the others are their own inverse
}

Permutation permutation_named(std::string_view text) {
    if (text == "transpose") return {Permutation::Kind::transpose, 0};
    if (text == "bit-reversal") return {Permutation::Kind::bit_reversal, 0};
    constexpr std::string_view shift = "shift:";
    if (text.starts_with(shift)) {
        const std::optional<std::uint64_t> by = to_count(text.substr(shift.size()));
        if (!by)
            throw RequestError(
                fmt::format("permutation {}: want shift:Q with Q from 0 to N - 1 on N nodes (shift:N-1 is one back)",
                            quoted(text)));
        return {Permutation::Kind::shift, *by};
    }
    throw RequestError(fmt::format("permutation {} is unknown; {}", quoted(text), choices));
}

std::string text(const Permutation& permutation) {
    switch (permutation.kind) {
        case Permutation::Kind::shift: return fmt::format("shift:{}", permutation.by);
        case Permutation::Kind::transpose: return "transpose";
        case Permutation::Kind::bit_reversal: return "bit-reversal";
    }
    return {};
}

void require_valid(const Permutation& permutation, const Topology& topology) {
    const NodeId nodes = topology.nodes();
    const bool is_cube = dynamic_cast<const Hypercube*>(&topology) != nullptr;
    const NodeId shifts = std::max<NodeId>(nodes, 2);  // a shift by 1, valid on one node, too
    if (permutation.kind == Permutation::Kind::shift && permutation.by >= shifts)
        throw RequestError(fmt::format("permutation '{}': {} has {}; want shift:0 to shift:{}", text(permutation),
                                       topology.spec(), counted(nodes, "node"), shifts - 1));
    if (const std::string_view why = why_no_transpose(topology);
        permutation.kind == Permutation::Kind::transpose && !why.empty())
        throw RequestError(
            fmt::format("permutation 'transpose': {} {}; want a mesh or torus of two equal sides, or a hypercube of "
                        "even dimension",
                        topology.spec(), why));
    if (permutation.kind == Permutation::Kind::bit_reversal && !is_cube)
        throw RequestError(
            fmt::format("permutation 'bit-reversal': {} is no hypercube; want hypercube:D", topology.spec()));
}

}  // namespace kport
