/// @file layout.hpp   Where the nodes of a machine are drawn.
#pragma once

#include <vector>

#include "emulator/topology/family.hpp"

namespace kport {

struct Point {
    double x = 0;
    double y = 0;

    bool operator==(const Point&) const = default;
};

[[nodiscard]] double distance(const Point& a, const Point& b);

/// The nodes' places. Unit: about the least distance of two nodes. y grows downwards. From (0, 0) to `corner`.
struct Layout {
    std::vector<Point> at;
    Point corner;
};

/// As books draw the family (DrawnAs); other graphs by their links, with the forces of springs. No two nodes have one place,
/// and the same topology is drawn the same every time.
///
/// Cost   O(nodes); of computed ones up to O(nodes^3) for 64 nodes, O(nodes + links) times some hundred beyond.
/// Errors DoesNotFit beyond layout_nodes_max nodes.
[[nodiscard]] Layout layout_of(const Topology& topology);

inline constexpr NodeId layout_nodes_max = NodeId{1} << 16;

/// How the topology's family is drawn; computed where it is of none.
[[nodiscard]] DrawnAs drawn_as(const Topology& topology);

/// The drawing of a graph by its links alone.
[[nodiscard]] std::vector<Point> computed_places(const Topology& topology);

}  // namespace kport
