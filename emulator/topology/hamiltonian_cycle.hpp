/// @file hamiltonian_cycle.hpp   A Hamiltonian cycle of a graph, by formula.
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
/// Source    Gray 1953 for hypercubes; on grids rows walked back and forth, as in Kumar et al. ch. 2.7.1
class HamiltonianCycle {
  public:
    /// Returns nothing where no rule is known. Rules exist for rings, complete graphs, hypercubes, tori, and meshes of
    /// two or more sides with an even number of nodes; a mesh with an odd number has no cycle, since it is bipartite. A
    /// single node, and a ring, complete graph or hypercube of two nodes, use the one link in both directions.
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
        even_rows,  ///< along an even number of rows back and forth, without the first column, which is the way back
        odd_rows    ///< first along a row that is a cycle itself, then to and fro as before
    };
    struct CycleAxis {
        NodeId side;
        NodeId stride;
        [[nodiscard]] NodeId coordinate(NodeId v) const { return v / stride % side; }
    };
    struct CyclePlace {
        NodeId row;
        NodeId column;
    };

    HamiltonianCycle(Rule rule, NodeId nodes) : rule_(rule), nodes_(nodes) {}
    [[nodiscard]] static std::optional<HamiltonianCycle> of_grid(const Grid& grid);

    [[nodiscard]] static NodeId gray_position(NodeId v);
    [[nodiscard]] NodeId position_in_rows(NodeId v) const;
    [[nodiscard]] NodeId node_in_rows(NodeId position) const;
    /// Returns the position among `rows` rows of `length` places each, whose first places are the way back.
    [[nodiscard]] NodeId position_of(CyclePlace place, NodeId rows, NodeId length) const;
    [[nodiscard]] CyclePlace place_of(NodeId position, NodeId rows, NodeId length) const;

    Rule rule_;
    NodeId nodes_;
    std::vector<CycleAxis> axes_;  ///< the first one counts rows: all others together, or the axes after it
};

}  // namespace kport
