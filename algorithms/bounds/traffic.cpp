#include "algorithms/bounds/arguments.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace kport::bounds {
namespace {

/// Returns the sum of distances from coordinate x to all of a line of n nodes, or from any node to all of a ring.
Count along_side(Count n, Count x, bool wraps) {
    if (wraps) return n * n / 4;
    return x * (x + 1) / 2 + (n - 1 - x) * (n - x) / 2;
}

/// Returns the sum of distances over all ordered pairs of a line of n nodes, or of a ring.
Count over_side(Count n, bool wraps) { return wraps ? n * (n * n / 4) : n * (n * n - 1) / 3; }

Count grid_pairs(const Facts& facts) {
    Count sum = 0;
    for (int i = 0; i < facts.grid->dimensions(); ++i) {
        const Count side = facts.grid->side(i);
        const Count lines = facts.nodes / side;
        sum += lines * lines * over_side(side, facts.grid->wraps());
    }
    return sum;
}

/// A link above a subtree of m nodes is between m and N-m nodes, and is crossed in both directions.
Count tree_pairs(const Facts& facts) {
    Count sum = 0;
    for (int depth = 1; depth <= facts.tree->height(); ++depth) {
        const Count below = (Count{1} << (facts.tree->height() - depth + 1)) - 1;
        sum += (Count{1} << depth) * 2 * below * (facts.nodes - below);
    }
    return sum;
}

struct Halving {
    Count half = 0;
    Count channels = 1;  ///< channels out of the half

    [[nodiscard]] Count volume(Count nodes, Count each) const {
        return ceil_div(each * half * (nodes - half), channels);
    }
};

std::vector<Halving> halvings(const Facts& facts) {
    if (facts.hypercube()) return {{facts.nodes / 2, facts.nodes / 2}};
    if (facts.tree != nullptr) return {{facts.nodes / 2, 1}};
    std::vector<Halving> found;
    for (int i = 0; facts.grid != nullptr && i < facts.grid->dimensions(); ++i) {
        const Count side = facts.grid->side(i);
        const Count lines = facts.nodes / side;
        if (side >= 2) found.push_back({side / 2 * lines, facts.grid->wraps() && side >= 3 ? 2 * lines : lines});
    }
    return found;
}

}  // namespace

Count distances_from(const Facts& facts, NodeId v) {
    if (facts.grid == nullptr) return facts.graph.sum_of_distances(v);
    Count sum = 0;
    for (int i = 0; i < facts.grid->dimensions(); ++i) {
        const Count side = facts.grid->side(i);
        sum += facts.nodes / side * along_side(side, facts.grid->coordinate(v, i), facts.grid->wraps());
    }
    return sum;
}

std::optional<Count> distances_over_pairs(const Facts& facts) {
    if (facts.grid != nullptr) return grid_pairs(facts);
    if (facts.tree != nullptr) return tree_pairs(facts);
    if (facts.graph.vertex_symmetric()) return facts.nodes * distances_from(facts, 0);
    if (facts.nodes > searched_nodes_max) return std::nullopt;
    Count sum = 0;
    for (NodeId v = 0; v < facts.nodes; ++v) sum += facts.graph.sum_of_distances(v);
    return sum;
}

namespace {

/// As many as all nodes together may send, and receive.
Count sum_of_ports(const Facts& facts) {
    Count sent = 0;
    Count received = 0;
    for (NodeId v = 0; v < facts.nodes; ++v) {
        sent += facts.machine.sends_of(v);
        received += facts.machine.receives_of(v);
    }
    return std::min(sent, received);
}

}  // namespace

Count messages_a_round(const Facts& facts) {
    const bool counted = facts.machine.node_ports != nullptr && facts.nodes <= searched_nodes_max;
    const Count by_ports = counted ? sum_of_ports(facts) : Count{facts.nodes} * facts.ports;
    if (facts.graph.fabric() != nullptr) return by_ports;  // two hosts may have several messages in a round
    return std::min<Count>(by_ports, facts.graph.channels());
}

Count ports_of_all(const Facts& facts) {
    const bool is_known = facts.machine.node_ports == nullptr && facts.graph.fabric() == nullptr &&
                          (facts.one_port() || facts.every_port || facts.graph.vertex_symmetric());
    if (is_known || facts.nodes > searched_nodes_max) return messages_a_round(facts);
    return sum_of_ports(facts);
}

NodeId narrowest_node(const Facts& facts) {
    NodeId best = 0;
    const auto try_node = [&](NodeId v) {
        if (facts.data_ports_of(v) < facts.data_ports_of(best)) best = v;
    };
    const bool is_known = facts.one_port() || facts.graph.vertex_symmetric();
    if (facts.machine.node_ports == nullptr && is_known) return best;
    if (facts.nodes > searched_nodes_max) try_node(facts.nodes - 1);
    for (NodeId v = 1; facts.nodes <= searched_nodes_max && v < facts.nodes; ++v) try_node(v);
    return best;
}

std::vector<Reason> bisection(const Facts& facts) {
    const std::vector<Halving> all = halvings(facts);
    const auto best = std::max_element(all.begin(), all.end(), [&](const Halving& a, const Halving& b) {
        return a.volume(facts.nodes, facts.packets_each) < b.volume(facts.nodes, facts.packets_each);
    });
    if (best == all.end()) return {};
    const Count other = facts.nodes - best->half;
    return {
        {.name = fmt::format("bisection: {}{} * {} packets over {}", times_each(facts), best->half, other,
                             counted(best->channels, "channel", "channels")),
         .value = best->volume(facts.nodes, facts.packets_each),
         .why = fmt::format("{} must cross from one half of the machine to the other over {}, and a channel carries "
                            "at most one message a round, which is at most the round's largest bundle.",
                            counted(facts.packets_each * best->half * other, "packet", "packets"),
                            counted(best->channels, "channel", "channels")),
         .source = "bisection width; Kumar et al., section 4.5"}};
}

}  // namespace kport::bounds
