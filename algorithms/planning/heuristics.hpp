/// @file heuristics.hpp   Fast broadcast schedules that need not be the shortest; over links with prices those of low latency.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/planning/graph.hpp"
#include "emulator/machine/machine.hpp"

namespace kport::planning {

/// Along the shortest-path trees with the lowest numbered parents; serves first the child that needs the most rounds.
[[nodiscard]] Calls farthest_first(const Graph& graph, std::span<const Node32> sources, Port ports);

/// Along trees built from the farthest nodes inwards: in each layer the nodes, by descending need of rounds, choose the
/// parent whose own need grows least.
[[nodiscard]] Calls best_tree(const Graph& graph, std::span<const Node32> sources, Port ports);

/// How many messages each node may send in a round: as many as any other, or its own number, which may be 0.
class SendLimits {
  public:
    SendLimits(Port of_all) : of_all_(of_all) {}  // NOLINT(google-explicit-constructor): most callers have one limit
    explicit SendLimits(std::vector<Port> by_node) : by_node_(std::move(by_node)) {}

    [[nodiscard]] Port of(Node32 v) const { return by_node_.empty() ? of_all_ : by_node_[v]; }

  private:
    Port of_all_ = 1;
    std::vector<Port> by_node_;
};

/// Recomputes the trees of best_tree() in each round from the nodes informed so far, and uses only the need of each
/// node: uninformed neighbours of informed nodes are matched with them, the greatest need first (after Harutyunyan,
/// Shao 2006; Scheuermann, Wu 1984). Empty if it was stopped. Nodes that send must reach all others.
///
/// Cost     O(rounds (N + channels) log N) and the matchings.
[[nodiscard]] Calls layered(const Graph& graph, std::span<const Node32> sources, const SendLimits& ports,
                            const Stop& stop);

// Broadcasts along trees, and the exact rounds of trees (Slater, Cockayne, Hedetniemi 1981).

/// Trees that together reach every node, each from a source: the parent of each node; for a source no node.
using Parents = std::vector<Node32>;

/// Returns the rounds of node v, whose children need `below` rounds, in descending order: the i-th (from 0) is informed
/// in round floor(i / k) + 1.
[[nodiscard]] std::uint32_t rounds_with_children(std::span<const std::uint32_t> below, Port ports);

/// The best order along such trees: each node serves first the child that needs the most rounds. Parents must be nearer
/// to a source than their children. O(N log N).
[[nodiscard]] Calls along(const Graph& graph, std::span<const std::uint32_t> distance, const Parents& parent,
                          Port ports);

/// Returns the lowest numbered parents. `distance` from the sources. O(channels).
[[nodiscard]] Parents lowest_parents(const Graph& graph, std::span<const std::uint32_t> distance);

/// Returns the exact rounds of a broadcast in a tree, from each of its nodes. O(N log N).
[[nodiscard]] std::vector<std::uint32_t> rounds_in_tree(const Graph& tree, Port ports);

/// Whether plan_by_prices() plans for the machine: links with prices, no switches or trunks, few enough nodes and channels.
[[nodiscard]] bool plans_by_prices(const Machine& machine);

/// A broadcast of messages of so many bytes over single links, for a low latency rather than few rounds.
///
/// Idea     A round costs as much as its dearest message, so from a set of informed nodes only the largest rounds over links
///          of at most some price need to be tried, for each price. A beam search over sets of informed nodes keeps those
///          for which the latency so far, and the dearest way to an uninformed node, promise least.
/// Cost     some 2^21 looks at links a round
[[nodiscard]] Calls plan_by_prices(const Machine& machine, std::span<const Node32> sources, std::uint64_t bytes);

}  // namespace kport::planning
