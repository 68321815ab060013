/// @file ring.hpp   A dimension of a torus as the ring of a node, and the two ways around it.
#pragma once

#include <cstdint>
#include <utility>

#include "algorithms/support/fit.hpp"

namespace kport {

enum class Direction : std::uint8_t { forward, backward };

/// One way around the ring along a dimension of a torus, as seen from one of its nodes. A ring of two nodes has one
/// link, which is used for both ways.
class RingWay {
  public:
    RingWay(const Grid& torus, int dimension, NodeId v, Direction direction)
        : size_(torus.side(dimension)), position_(torus.coordinate(v, dimension)), out_(Grid::plus(dimension)),
          in_(size_ == 2 ? Grid::plus(dimension) : Grid::minus(dimension)), direction_(direction) {
        if (direction == Direction::backward) std::swap(in_, out_);
    }

    /// Returns the number of nodes of the ring.
    [[nodiscard]] NodeId size() const { return size_; }
    /// Returns the port to the next node on this way.
    [[nodiscard]] Port out() const { return out_; }
    /// Returns the port by which the previous node's messages come on this way.
    [[nodiscard]] Port in() const { return in_; }

    /// Returns the position on the ring so many steps back on this way (fewer than the ring has nodes).
    [[nodiscard]] NodeId back(NodeId steps) const {
        return direction_ == Direction::forward ? minus(steps) : plus(steps);
    }
    /// Returns the position from which those of the next `steps` nodes on this way ascend, modulo the size.
    [[nodiscard]] NodeId next(NodeId steps) const { return direction_ == Direction::forward ? plus(1) : minus(steps); }

  private:
    [[nodiscard]] NodeId plus(NodeId steps) const { return (position_ + steps) % size_; }
    [[nodiscard]] NodeId minus(NodeId steps) const { return (position_ + size_ - steps) % size_; }

    NodeId size_;
    NodeId position_;
    Port out_;
    Port in_;
    Direction direction_;
};

/// Returns the rounds of one ring after the other: the sum of side - 1.
[[nodiscard]] inline std::uint64_t ring_rounds(const Grid& grid) {
    std::uint64_t rounds = 0;
    for (int i = 0; i < grid.dimensions(); ++i) rounds += grid.side(i) - 1;
    return rounds;
}

[[nodiscard]] inline bool has_equal_sides(const Grid& grid) {
    for (int i = 1; i < grid.dimensions(); ++i)
        if (grid.side(i) != grid.side(0)) return false;
    return true;
}

[[nodiscard]] inline std::optional<std::string> needs_ring(const Machine& machine) {
    const Grid* grid = as_grid(machine);
    return unless(grid != nullptr && grid->wraps() && grid->dimensions() == 1, "needs a ring");
}
[[nodiscard]] inline std::optional<std::string> needs_torus(const Machine& machine) {
    const Grid* grid = as_grid(machine);
    return unless(grid != nullptr && grid->wraps(), "needs a torus or ring");
}
/// Each node sends to the next and receives from the one before it. In a ring of two these are one node; otherwise they
/// use two links.
[[nodiscard]] inline std::optional<std::string> needs_way_around(const Machine& machine) {
    const Grid* grid = as_grid(machine);
    bool has_pair = false;
    bool has_ring = false;
    for (int i = 0; grid != nullptr && i < grid->dimensions(); ++i) {
        has_pair |= grid->side(i) == 2;
        has_ring |= grid->side(i) > 2;
    }
    return first_of(
        {has_pair ? needs_full_links(machine) : std::nullopt, has_ring ? needs_partners(machine) : std::nullopt});
}
[[nodiscard]] inline std::optional<std::string> needs_two_ports(const Machine& machine) {
    return unless(machine.topology->max_degree() <= 1 || machine.widest() >= 2, "needs two ports");
}

}  // namespace kport
