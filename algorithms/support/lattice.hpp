/// @file lattice.hpp   Coordinates of meshes, tori and hypercubes, for the sides larger than 1.
#pragma once

#include <vector>

#include "emulator/topology/grid.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport {

/// The dimensions in which there are links, from 0 on. In a hypercube dimension i is bit i.
class Lattice {
  public:
    explicit Lattice(const Grid& grid) : wraps_(grid.wraps()) {
        for (int i = 0; i < grid.dimensions(); ++i)
            if (grid.side(i) > 1) axes_.push_back({grid.side(i), grid.stride(i)});
    }
    explicit Lattice(const Hypercube& cube) {
        for (int i = 0; i < cube.dimensions(); ++i) axes_.push_back({2, NodeId{1} << i});
    }

    [[nodiscard]] int dimensions() const { return static_cast<int>(axes_.size()); }
    [[nodiscard]] NodeId side(int i) const { return axis(i).side; }
    [[nodiscard]] NodeId nodes() const {
        NodeId nodes = 1;
        for (const LatticeAxis& axis : axes_) nodes *= axis.side;
        return nodes;
    }
    [[nodiscard]] bool wraps() const { return wraps_; }
    [[nodiscard]] NodeId coordinate(NodeId v, int i) const { return v / axis(i).stride % axis(i).side; }
    /// Returns the node one step ahead in dimension i, around the ring if there is one.
    [[nodiscard]] NodeId plus(NodeId v, int i) const { return moved(v, i, 1); }
    [[nodiscard]] NodeId minus(NodeId v, int i) const { return moved(v, i, axis(i).side - 1); }

  private:
    struct LatticeAxis {
        NodeId side;
        NodeId stride;
    };
    [[nodiscard]] const LatticeAxis& axis(int i) const { return axes_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] NodeId moved(NodeId v, int i, NodeId steps) const {
        const NodeId x = coordinate(v, i);
        return v + ((x + steps) % axis(i).side - x) * axis(i).stride;  // modulo 2^64
    }

    std::vector<LatticeAxis> axes_;
    bool wraps_ = false;
};

}  // namespace kport
