/// @file facts.hpp   The machine's facts that the arguments need, looked up once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/bounds/bounds.hpp"
#include "emulator/topology/complete_binary_tree.hpp"
#include "emulator/topology/grid.hpp"

namespace kport::bounds {

/// Graphs up to here may be searched node by node.
inline constexpr std::uint64_t searched_nodes_max = 4096;
/// Graphs of up to so many channels may be walked through once.
inline constexpr std::uint64_t walked_channels_max = std::uint64_t{1} << 20;

/// far_nodes().
using FarNodes = std::optional<std::vector<std::uint64_t>>;

struct Facts {
    const Machine& machine;
    const Topology& graph;
    Operation operation;
    NodeId root;
    std::uint64_t packet_bytes;
    std::uint64_t packets_each;  ///< M
    Permutation permutation;
    std::uint64_t nodes;
    std::uint64_t ports;       ///< min(k, largest degree): how many messages a node can send in a round
    std::uint64_t root_ports;  ///< min(k, degree of the root)
    bool every_port;           ///< k is at least the largest degree
    bool store_and_forward;
    bool full_duplex;
    bool full_links;  ///< a link carries both directions in a round
    /// Whether two neighbours can exchange in a round: with each other, which pairwise machines allow as well.
    bool swaps;
    Hops eccentricity;  ///< of the root
    const Grid* grid;   ///< null on other topologies; so is tree
    const CompleteBinaryTree* tree;

    /// A node as the bounds name it: its number, and its name where its graph is a file's.
    [[nodiscard]] std::string node(NodeId v) const {
        return graph.family() == "file" ? graph.name(v) : std::to_string(v);
    }
    [[nodiscard]] bool hypercube() const { return graph.family() == "hypercube"; }
    [[nodiscard]] bool complete() const { return graph.family() == "complete"; }
    /// Links come in pairs of channels, so it has no circle.
    [[nodiscard]] bool is_tree() const { return graph.channels() == 2 * (nodes - 1); }
    /// How many messages node v can send in a round: min(k, deg v).
    [[nodiscard]] std::uint64_t ports_of(NodeId v) const { return std::min<std::uint64_t>(ports, graph.degree(v)); }
    /// No more nodes lie at distance d or more from the root, since one at least lies at each lesser distance. d <= eccentricity.
    [[nodiscard]] std::uint64_t far_at_most(Hops d) const { return nodes - d; }
    /// far_nodes() of the root. Several arguments ask, and of a long line they are many: they are counted once.
    [[nodiscard]] const FarNodes& far() const;
    /// Of some graphs it takes a search from every node: asked for only where every node matters.
    [[nodiscard]] Hops diameter() const { return graph.diameter(); }
    [[nodiscard]] bool one_port() const { return ports == 1; }
    /// True if the data goes to the root (gather, reduce).
    [[nodiscard]] bool inwards() const { return operation.inwards(); }
    /// Whether a node can send and receive in the same round. Exchanges and pipelines need it, trees do not.
    [[nodiscard]] bool exchanges() const { return full_duplex || ports >= 2; }
    /// Whether all nodes can send and receive over all their links at once, as far as their ports go.
    [[nodiscard]] bool both_ways() const { return full_duplex && full_links; }

    /// Whether partial results are folded by neighbours only, and counted by runs of nodes; not of scans, whose schedules fold in
    /// the order of the nodes anyway.
    bool in_runs;

    mutable std::shared_ptr<const FarNodes> far_if_known = nullptr;  ///< far()
};

/// Throws RequestError if the root is no node of the machine. O(dimensions).
[[nodiscard]] Facts facts_of(const Machine& machine, const Collective& collective);

/// The same of a machine that can do no more than this one, for which schedules are known: pairwise machines do what 1-port
/// half duplex machines do, and swaps.
[[nodiscard]] Facts with_known_schedules(const Facts& facts);

/// The middle of a grid, where reducing and broadcasting take the fewest rounds; elsewhere node 0, which is the root of a
/// tree and as good as any other where all nodes are alike.
[[nodiscard]] NodeId middle_of(const Topology& graph);

/// The first v that is no neighbour of v + 1; N - 1 where there is none, so that a message can go from node to node in the order of
/// their numbers; nothing where the first 2^16 nodes have none and others are not looked at.
[[nodiscard]] std::optional<NodeId> first_gap(const Topology& graph);

/// far[d] = number of nodes at distance d or more from v, for d = 0 .. exc(v); nothing where exc(v) is beyond a million,
/// so that a line of 2^40 nodes allocates nothing, and where a search that would tell does not fit.
[[nodiscard]] FarNodes far_nodes(const Topology& graph, NodeId v);

}  // namespace kport::bounds
