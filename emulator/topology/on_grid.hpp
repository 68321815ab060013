/// @file on_grid.hpp   Base of families whose nodes have the numbers and coordinates of a grid, but other links.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/topology/grid.hpp"

namespace kport {

class OnGrid : public Topology {
  public:
    /// The grid that has the same numbers and coordinates.
    [[nodiscard]] const Grid& grid() const { return grid_; }
    [[nodiscard]] std::string own_label(NodeId v) const override { return grid_.label(v); }
    [[nodiscard]] NodeId own_node(std::string_view text) const override {
        if (const std::optional<NodeId> found = grid_.find(text)) return *found;
        refuse_node(text, grid_.coordinate_form());
    }

  protected:
    OnGrid(std::string spec, GridKind kind, const std::vector<NodeId>& sides, Port ports_a_dimension)
        : Topology(std::move(spec), Grid(kind, sides).nodes(), static_cast<Port>(ports_a_dimension * sides.size())),
          grid_(kind, sides) {}

  private:
    Grid grid_;
};

}  // namespace kport
