/// @file layout.hpp   The positions of a machine's nodes in pictures.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/topology/family.hpp"

namespace kport {

struct Point {
    double x = 0;
    double y = 0;

    bool operator==(const Point&) const = default;
};

[[nodiscard]] double distance(const Point& a, const Point& b);

/// The positions of the nodes. The unit is about the least distance of two nodes. y grows downwards. From (0, 0) to
/// `corner`.
struct Layout {
    std::vector<Point> at;
    Point corner;
};

/// Returns positions as books draw the family (DrawnAs); for other graphs computed from the links by spring forces. No
/// two nodes coincide. Deterministic.
///
/// Cost   O(nodes); for computed ones up to O(nodes^3) for 64 nodes, some fifty to two hundred times O(nodes + links) beyond.
/// Errors DoesNotFit beyond layout_nodes_max nodes.
[[nodiscard]] Layout layout_of(const Topology& topology);

inline constexpr NodeId layout_nodes_max = NodeId{1} << 16;

/// Finds straight lines between nodes that pass over another node. Keeps a reference to the positions.
class NodesInTheWay {
  public:
    /// A line passes over a node that is closer to it than `clearance`, at most half a unit.
    NodesInTheWay(const std::vector<Point>& at, double clearance);

    /// Cost   O(length of the line)
    [[nodiscard]] bool between(NodeId v, NodeId w) const;

  private:
    const std::vector<Point>& at_;
    double clearance_;
    std::unordered_multimap<std::uint64_t, NodeId> cells_;  ///< by cell of one unit
};

/// Returns how the topology is drawn: as its family says, if the numbers of its specification and of its nodes allow
/// it, else computed.
[[nodiscard]] DrawnAs drawn_as(const Topology& topology);

/// Returns a layout from a graph's links only.
[[nodiscard]] std::vector<Point> computed_places(const Topology& topology);

}  // namespace kport
