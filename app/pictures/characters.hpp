/// @file characters.hpp   Small machines drawn with characters.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace kport {

/// The machine with a text at each node, as books draw it: grids, cubes and trees. Links that would cross a node are left out,
/// such as the wraps of a torus. Empty where the family is drawn otherwise or the drawing is wider than `width`.
[[nodiscard]] std::string drawn_with_characters(const Topology& topology, const std::vector<std::string>& texts,
                                                std::size_t width);

}  // namespace kport
