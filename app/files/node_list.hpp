/// @file node_list.hpp   Nodes in a list, as options and files name them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace kport {

/// The most nodes that a list of nodes may name, such as "0-1048575".
inline constexpr NodeId nodes_listed_max = NodeId{1} << 20;

/// Whether the word names one node.
[[nodiscard]] bool names_one(std::string_view word, const Topology& topology);

/// Returns the parts of a list: between semicolons where there are some, which names and coordinates with commas need; else commas.
[[nodiscard]] std::vector<std::string_view> apart(std::string_view list);

/// Returns the nodes of a list "0,3,5-9", "1,2;3,4", each once, in this order. `what` begins the messages: "--members". Throws
/// RequestError.
[[nodiscard]] std::vector<NodeId> nodes_named(std::string_view text, const Topology& topology, std::string_view what);

/// Returns a list that nodes_named() reads as these nodes of the topology, whatever they are called.
[[nodiscard]] std::string list_in_words(const std::vector<NodeId>& nodes, const Topology& topology);

}  // namespace kport
