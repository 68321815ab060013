/// @file sources.hpp   Several nodes in --source: 0,5 are two, and so are 1,2;3,4 where a node is two numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace kport::requests {

/// Whether it names several nodes: with a semicolon, with other commas than one node has in its name, or as "all".
[[nodiscard]] bool names_several(std::string_view source, const Topology& topology);

/// The words for each of them, not yet looked up: "0,5", or "1,2;3,4", or "1,2;" for one node.
[[nodiscard]] std::vector<std::string_view> apart(std::string_view sources);

/// The words of names_several(), or the word of one node. Throws RequestError for more than `most`.
[[nodiscard]] std::vector<std::string> each_source(std::string_view source, const Topology& topology, std::size_t most);

}  // namespace kport::requests
