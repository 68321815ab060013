/// @file complete.hpp   Shared by algorithms on the complete graph: modular ranges of nodes, and folding by k + 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithms/support/fit.hpp"
#include "emulator/schedule/packet_set.hpp"
#include "emulator/topology/complete.hpp"

namespace kport {

[[nodiscard]] inline std::optional<std::string> needs_complete(const Machine& machine) {
    return unless(dynamic_cast<const Complete*>(machine.topology.get()) != nullptr, "needs a complete graph");
}

/// Returns the numbers first, first + stride, ..., `count` of them modulo the number of nodes, as progressions: one, or
/// two where they wrap around once. first < nodes; (count - 1) * stride < nodes.
[[nodiscard]] inline std::vector<Progression> around(NodeId first, NodeId stride, NodeId count, NodeId nodes) {
    const auto progression = [&](NodeId from, NodeId members) {
        return Progression{static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(members == 1 ? 1 : stride),
                           static_cast<std::uint32_t>(members)};
    };
    std::vector<Progression> parts;
    const NodeId before_end = std::min(count, (nodes - first + stride - 1) / stride);
    if (before_end != 0) parts.push_back(progression(first, before_end));
    if (before_end != count) parts.push_back(progression(first + before_end * stride - nodes, count - before_end));
    return parts;
}

/// Half duplex links: of the messages sent unit, 2 unit, ..., k unit nodes ahead (modulo N, for unit = 1, k + 1, (k +
/// 1)^2, ...), two of a round must not use the same link.
[[nodiscard]] inline std::optional<std::string> needs_links_for_steps(const Machine& machine) {
    const NodeId nodes = machine.topology->nodes();
    const NodeId ports = machine.widest();
    for (NodeId unit = 1; unit < nodes; unit *= ports + 1)
        if (nodes % unit == 0 && nodes / unit <= 2 * ports) return needs_full_links(machine);
    return std::nullopt;
}

}  // namespace kport
