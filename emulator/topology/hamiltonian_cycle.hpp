/// @file hamiltonian_cycle.hpp   A cycle through all nodes of a graph, by rule.
#pragma once

#include <optional>
#include <vector>

#include "emulator/base/types.hpp"
#include "emulator/topology/grid.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {

/// A Hamiltonian cycle: position 0, 1, ..., N - 1 and again 0, with a link from each to the next.
///
/// Callers   any thread, after construction.
/// Cost      O(1) on rings and complete graphs, O(log N) on hypercubes, O(dimensions) on grids.
/// Source    Gray 1953 for hypercubes; on grids rows that are walked to and fro, as in Kumar et al. ch. 2.7.1
class HamiltonianCycle {
  public:
    /// Nothing where no rule is known here. Known are rings, complete graphs, hypercubes, tori, and meshes of two or more sides
    /// with an even number of nodes; a mesh with an odd number has none, since it is bipartite. A single node, and a pair that is
    /// a ring, a complete graph or a hypercube, go there and back on one link.
    [[nodiscard]] static std::optional<HamiltonianCycle> of(const Topology& topology);

    [[nodiscard]] NodeId nodes() const { return nodes_; }
    [[nodiscard]] NodeId position(NodeId v) const {
        return rule_ == Rule::numbers ? v : rule_ == Rule::gray_code ? gray_position(v) : position_in_rows(v);
    }
    [[nodiscard]] NodeId at(NodeId position) const {
        return rule_ == Rule::numbers     ? position
               : rule_ == Rule::gray_code ? position ^ position >> 1
                                          : node_in_rows(position);
    }

  private:
    enum class Rule : std::uint8_t {
        numbers,  ///< in the order of the numbers
        gray_code,
        even_rows,  ///< along an even number of rows to and fro, without the first column, which is the way back
        odd_rows    ///< first along a row that is a cycle itself, then to and fro as before
    };
    struct Axis {
        NodeId side;
        NodeId stride;
        [[nodiscard]] NodeId coordinate(NodeId v) const { return v / stride % side; }
    };
    struct Place {
        NodeId row;
        NodeId column;
    };

    HamiltonianCycle(Rule rule, NodeId nodes) : rule_(rule), nodes_(nodes) {}
    [[nodiscard]] static std::optional<HamiltonianCycle> of_grid(const Grid& grid);

    [[nodiscard]] static NodeId gray_position(NodeId v);
    [[nodiscard]] NodeId position_in_rows(NodeId v) const;
    [[nodiscard]] NodeId node_in_rows(NodeId position) const;
    /// Of so many rows of `length` places each, of which the first of each is left for the way back.
    [[nodiscard]] NodeId position_of(Place place, NodeId rows, NodeId length) const;
    [[nodiscard]] Place place_of(NodeId position, NodeId rows, NodeId length) const;

    Rule rule_;
    NodeId nodes_;
    std::vector<Axis> axes_;  ///< the first one counts rows: of all others, or of those that follow it
};

}  // namespace kport
