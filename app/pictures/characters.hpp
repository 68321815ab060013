/// @file characters.hpp   Small machines drawn with characters.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace kport {

/// Returns the machine with a text at each node, as books draw it: grids, cubes and trees. Links that would cross a
/// node are omitted, such as the wraps of a torus. Empty if the family is drawn differently or the drawing is wider
/// than `width`.
[[nodiscard]] std::string drawn_with_characters(const Topology& topology, const std::vector<std::string>& texts,
                                                std::size_t width);

}  // namespace kport
