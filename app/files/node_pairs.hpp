/// @file node_pairs.hpp   Files of pairs of nodes: who sends to whom.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/base/types.hpp"
#include "emulator/schedule/permutation.hpp"

namespace kport {

struct NodePair {
    NodeId from;
    NodeId to;
    std::uint64_t line;  ///< of the file
};

/// Reads a file of lines `u v`; `#` begins a comment. `what` begins the messages. Throws RequestError with line and column for a
/// word that is no node of `nodes`, for a file that cannot be read, and for one without pairs.
[[nodiscard]] std::vector<NodePair> read_node_pairs(const std::string& path, const std::string& what, NodeId nodes);

/// Reads a permutation: in a line `v w` node v sends to w; nodes without a line send nothing. Throws RequestError as
/// read_node_pairs(), and for two lines of a node.
[[nodiscard]] Permutation read_permutation(const std::string& path, NodeId nodes);

}  // namespace kport
