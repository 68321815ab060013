/// @file permutation.hpp   Permutations of the nodes of a machine: which node sends to which.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// The target of each node that sends, one by one. No node receives from two.
struct TargetList {
    std::vector<NodeId> targets;  ///< by node; no_node: it sends nothing
    std::vector<NodeId> sources;  ///< by node; no_node: it receives nothing
    std::string file;             ///< from which it was read; empty: from none

    bool operator==(const TargetList& other) const { return targets == other.targets; }
};

/// `--permutation shift:Q[@I] | move:Q[@I] | list:T,T,... | file:PATH | transpose | bit-reversal`. Some nodes may send nothing,
/// and others receive nothing. O(log N) a node; a list takes 16 bytes a node, others no table.
struct Permutation {
    enum class Kind : std::uint8_t {
        shift,         ///< v to v + by, modulo N; along a dimension modulo its side
        move,          ///< v to v + by where that is a node; the others send nothing
        transpose,     ///< (i, j) to (j, i) on a square grid; on a hypercube the halves of the address are swapped
        bit_reversal,  ///< on a hypercube
        list           ///< as `list` says
    };
    Kind kind = Kind::shift;
    std::int64_t by = 1;  ///< distance of a shift or move; negative: back
    /// The dimension of a grid or hypercube in which nodes shift or move; nothing: by their numbers.
    std::optional<int> dimension = std::nullopt;
    NodeId side = 0;    ///< of the dimension (fitted())
    NodeId stride = 0;  ///< between the numbers of its neighbours
    std::shared_ptr<const TargetList> list = nullptr;

    /// Returns the node that gets the packets of node v; v itself where they stay.
    [[nodiscard]] NodeId target(NodeId v, NodeId nodes) const;
    /// Returns the node whose packets v gets, v itself if it is to keep its own; no_node if it gets none.
    [[nodiscard]] NodeId source(NodeId v, NodeId nodes) const;
    /// Returns the number of nodes whose packets go to another node. O(N) for a list, else O(log N).
    [[nodiscard]] NodeId senders(NodeId nodes) const;
    /// Returns a node whose packets go to another node; no_node if there is none.
    [[nodiscard]] NodeId a_sender(NodeId nodes) const;
    /// Whether nodes shift or move along a single line or ring of `nodes` nodes.
    [[nodiscard]] bool is_by_number(NodeId nodes) const {
        return (kind == Kind::shift || kind == Kind::move) && (!dimension || side == nodes);
    }

    bool operator==(const Permutation& other) const;

  private:
    [[nodiscard]] NodeId moved(NodeId v, NodeId nodes, std::int64_t steps) const;
};

/// Parses a permutation; fitted() makes it one of a machine. Throws RequestError that names the valid ones, the entry of a
/// list that is no node, and two nodes that send to the same.
[[nodiscard]] Permutation permutation_named(std::string_view text);
/// As permutation_named(), and "file:PATH" too, of which it keeps the path: the caller reads the list.
[[nodiscard]] Permutation permutation_or_file_named(std::string_view text);
/// Returns the permutation in which node v sends to targets[v]. Throws RequestError for two nodes that send to the same.
[[nodiscard]] Permutation listed_permutation(std::vector<NodeId> targets, std::string file = {});
/// Returns the text that was parsed: "shift:3", "file:pairs.txt".
[[nodiscard]] std::string text(const Permutation& permutation);
/// Returns text(), cut to a few dozen letters for titles.
[[nodiscard]] std::string short_text(const Permutation& permutation);
/// Returns a text that needs no file: what permutation_named() parses.
[[nodiscard]] std::string text_without_file(const Permutation& permutation);
/// Returns the permutation on the machine, with the side of its dimension. Throws RequestError as require_valid().
[[nodiscard]] Permutation fitted(Permutation permutation, const Topology& topology);
/// Throws RequestError for a shift beyond the nodes, a list of another length, and where the machine has no such permutation or
/// the permutation is not fitted() to it.
void require_valid(const Permutation& permutation, const Topology& topology);

}  // namespace kport
