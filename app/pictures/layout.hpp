/// @file layout.hpp   Where the nodes of a machine are drawn.
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

/// Which straight lines between nodes pass over another node. Names the places, which must outlive it.
class NodesInTheWay {
  public:
    /// A line passes over a node that is nearer to it than `clearance`, at most half a unit.
    NodesInTheWay(const std::vector<Point>& at, double clearance);

    /// Cost   O(length of the line)
    [[nodiscard]] bool between(NodeId v, NodeId w) const;

  private:
    const std::vector<Point>& at_;
    double clearance_;
    std::unordered_multimap<std::uint64_t, NodeId> cells_;  ///< of one unit
};

/// How the topology is drawn: as its family says, where the numbers of its specification and of its nodes allow it, else computed.
[[nodiscard]] DrawnAs drawn_as(const Topology& topology);

/// The drawing of a graph by its links alone.
[[nodiscard]] std::vector<Point> computed_places(const Topology& topology);

}  // namespace kport
