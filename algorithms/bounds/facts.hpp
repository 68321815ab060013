/// @file facts.hpp   The properties of the machine that the arguments use, looked up once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/bounds/bounds.hpp"
#include "emulator/topology/broken.hpp"
#include "emulator/topology/complete_binary_tree.hpp"
#include "emulator/topology/grid.hpp"
#include "emulator/topology/members.hpp"

namespace kport::bounds {

/// Largest graph that may be searched from every node.
inline constexpr std::uint64_t searched_nodes_max = 4096;
/// Largest number of channels that may be visited once.
inline constexpr std::uint64_t walked_channels_max = std::uint64_t{1} << 20;

/// Result of far_nodes().
using FarNodes = std::optional<std::vector<std::uint64_t>>;

struct Facts {
    const Machine& machine;
    const Topology& graph;
    Operation operation;
    NodeId root;
    std::uint64_t packet_bytes;  ///< 1 where packets differ in size (Counts::bytes()): the volume is then in bytes
    std::uint64_t packets_each;  ///< M
    std::shared_ptr<const Counts> counts;        ///< where nodes or pairs have different numbers of packets; else null
    std::shared_ptr<const RankedNodes> members;  ///< where other nodes only pass on what comes; else null
    Permutation permutation;
    std::shared_ptr<const Neighbourhood> neighbours;  ///< of operations among neighbours
    const Collective* promise;                        ///< of a collective from a file; else null
    std::uint64_t nodes;
    /// min(k, largest degree, in a fabric width): how many messages a node can send in a round. With two limits the one that counts for the
    /// operation (limit_that_counts()).
    std::uint64_t ports;
    std::uint64_t root_ports;  ///< min(k, degree or width of the root)
    bool every_port;           ///< k is at least the largest degree or width
    bool store_and_forward;
    bool full_duplex;
    bool full_links;  ///< a link carries both directions in a round
    /// Whether two neighbours can exchange in a round; pairwise machines allow that as well.
    bool swaps;
    Hops eccentricity;  ///< of the root
    const Grid* grid;   ///< null on other topologies; so is tree
    const CompleteBinaryTree* tree;

    /// Returns the name of a node in bounds: its number, and its name in a graph file.
    [[nodiscard]] std::string node(NodeId v) const {
        return named_machine(graph).family() == "file" || as_broken(graph) != nullptr ? graph.name(v)
                                                                                      : std::to_string(graph.number(v));
    }
    [[nodiscard]] bool hypercube() const { return graph.family() == "hypercube"; }
    [[nodiscard]] bool complete() const { return graph.family() == "complete"; }
    /// Whether it has no cycle, by the number of channels (two a link).
    [[nodiscard]] bool is_tree() const { return graph.channels() == 2 * (nodes - 1); }
    /// Returns how many messages node v can send in a round: min(k, deg v), in a fabric min(k, width).
    [[nodiscard]] std::uint64_t ports_of(NodeId v) const {
        return std::min<std::uint64_t>(machine.node_ports == nullptr ? ports : own_ports_of(v), graph.width(v));
    }
    /// Returns how many messages node v can take in (broadcast), or send (its reversal), in a round: min(k, deg v).
    [[nodiscard]] std::uint64_t ports_back(NodeId v) const;
    /// The limit of the packets that pass node v as one end of their way (limit_of_data()).
    [[nodiscard]] std::uint64_t data_ports_of(NodeId v) const;
    /// Whether all nodes may receive as many messages in a round as they may send, and all equally many.
    [[nodiscard]] bool is_even() const { return machine.has_one_limit(); }
    /// Returns the most nodes that can be at distance d or more from the root: each lesser distance has at least one. d
    /// <= eccentricity.
    [[nodiscard]] std::uint64_t far_at_most(Hops d) const { return nodes - d; }
    /// Returns far_nodes() of the root, computed once for all arguments, since a long line has many.
    [[nodiscard]] const FarNodes& far() const;
    /// Some graphs need a search from every node: called only where every node matters.
    [[nodiscard]] Hops diameter() const { return graph.diameter(); }
    [[nodiscard]] bool one_port() const { return ports == 1; }
    [[nodiscard]] bool scans() const { return operation->prefix != Prefix::no; }
    /// True if the data goes to the root (gather, reduce).
    [[nodiscard]] bool inwards() const { return operation.inwards(); }
    /// Whether a node can send and receive in the same round. Needed by exchanges and pipelines, not by trees.
    [[nodiscard]] bool exchanges() const { return full_duplex || ports >= 2; }
    /// Whether all nodes can send and receive over all their links at once, as far as their ports go.
    [[nodiscard]] bool both_ways() const { return full_duplex && full_links; }

    /// Whether only neighbours' partial results are combined, and counted by runs of nodes; false for scans, whose
    /// schedules combine in the order of the nodes anyway.
    bool in_runs;

    mutable std::shared_ptr<const FarNodes> far_if_known = nullptr;  ///< far()

  private:
    [[nodiscard]] std::uint64_t own_ports_of(NodeId v) const;
};

/// Which of two limits of ports bounds an operation. From a root: what nodes send; to it: what they receive; among all nodes
/// the lower one, since what is known grows by what is sent and by what is received.
[[nodiscard]] Port limit_that_counts(const PortLimit& ports, const Operation& operation);
/// Which of two limits of ports the packets of a node pass: all enter it (allgather) or leave it (reduce-scatter); else
/// limit_that_counts().
[[nodiscard]] Port limit_of_data(const PortLimit& ports, const Operation& operation);

/// Throws RequestError if the root is no node of the machine. O(dimensions). The machine and the collective must outlive the facts.
[[nodiscard]] Facts facts_of(const Machine& machine, const Collective& collective);

/// Returns the facts of a weaker machine, for which schedules are known: pairwise machines can do what 1-port half
/// duplex machines do, and swaps; of machines with limits of nodes, the ports that all nodes have.
[[nodiscard]] Facts with_known_schedules(const Facts& facts);

/// Returns the middle of a grid, where reducing and broadcasting take the fewest rounds; elsewhere node 0, which is the
/// root of a tree, and equivalent to any other node of a vertex-transitive graph.
[[nodiscard]] NodeId middle_of(const Topology& graph);

/// Returns the first v that is no neighbour of v + 1; N - 1 if a message can go through all nodes in the order of their
/// numbers; nothing if the first 2^16 nodes have no gap and others are not examined.
[[nodiscard]] std::optional<NodeId> first_gap(const Topology& graph);

/// Returns far[d] = number of nodes at distance d or more from v, for d = 0 .. ecc(v). Nothing where ecc(v) exceeds a
/// million, so that a line of 2^40 nodes allocates nothing, and where a search would not fit into memory.
[[nodiscard]] FarNodes far_nodes(const Topology& graph, NodeId v);

}  // namespace kport::bounds
