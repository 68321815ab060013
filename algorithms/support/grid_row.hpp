/// @file grid_row.hpp   A node's line or ring along one dimension, and values that stream both ways along it.
#pragma once

#include <algorithm>
#include <utility>

#include "algorithms/support/fit.hpp"
#include "emulator/node/node.hpp"

namespace kport {

/// Both values, of which `left` stands before `right`, as one; one where the other is none.
[[nodiscard]] inline Value joined(Node& self, const Value& left, const Value& right) {
    if (left.is_none()) return right;
    return right.is_none() ? left : self.merge(left, right);
}

/// The values of a row of places that come to one of them from both sides, the nearest first, folded in the order of the places.
class FoldedSides {
  public:
    /// The place `here` of a row of `size`, which may wrap around.
    FoldedSides(Node& self, NodeId here, NodeId size) : self_(self), here_(here), size_(size) {}

    void came_from_below(const Value& value) {
        Value& side = below_ < here_ ? before_ : last_;
        side = joined(self_, value, side);
        ++below_;
    }
    void came_from_above(const Value& value) {
        ++above_;
        Value& side = here_ + above_ < size_ ? after_ : first_;
        side = joined(self_, side, value);
    }
    /// The fold of what came from places before this one; none if nothing did.
    [[nodiscard]] Value before() const { return joined(self_, first_, before_); }
    /// The fold of all that came and `own`.
    [[nodiscard]] Value with(const Value& own) const {
        return joined(self_, joined(self_, before(), own), joined(self_, after_, last_));
    }

  private:
    Node& self_;
    NodeId here_;
    NodeId size_;
    NodeId below_ = 0;  ///< values that came from below
    NodeId above_ = 0;
    Value first_;  ///< of places 0, 1, ... that came around the end of a ring
    Value before_;
    Value after_;
    Value last_;  ///< of the last places, which came around
};

/// A node's line or ring along a dimension of a grid, or of a hypercube.
class GridRow {
  public:
    GridRow(const Topology& topology, int dimension, NodeId v) : minus_(static_cast<Port>(dimension)), plus_(minus_) {
        const auto* grid = dynamic_cast<const Grid*>(&topology);
        here_ = grid == nullptr ? v >> dimension & 1 : grid->coordinate(v, dimension);
        if (grid == nullptr) return;
        size_ = grid->side(dimension);
        wraps_ = grid->wraps() && size_ > 2;
        plus_ = Grid::plus(dimension);
        minus_ = grid->wraps() && size_ == 2 ? plus_ : Grid::minus(dimension);
    }

    [[nodiscard]] NodeId size() const { return size_; }
    [[nodiscard]] NodeId here() const { return here_; }
    [[nodiscard]] Port minus() const { return minus_; }
    [[nodiscard]] Port plus() const { return plus_; }
    /// The rounds in which a value comes from below, and from above: the first ones.
    [[nodiscard]] NodeId from_below() const { return below(here_); }
    [[nodiscard]] NodeId from_above() const { return above(here_); }
    /// The rounds in which a value goes up, and down: the first ones.
    [[nodiscard]] NodeId up() const { return wraps_ || here_ + 1 < size_ ? below(here_ + 1) : 0; }
    [[nodiscard]] NodeId down() const { return wraps_ || here_ > 0 ? above(here_ - 1) : 0; }
    /// The rounds until values have come from all of it to all of it.
    [[nodiscard]] static NodeId rounds(const Topology& topology, int dimension) {
        const auto* grid = dynamic_cast<const Grid*>(&topology);
        if (grid == nullptr) return 1;
        return grid->wraps() ? grid->side(dimension) / 2 : grid->side(dimension) - 1;
    }

  private:
    [[nodiscard]] NodeId below(NodeId x) const { return wraps_ ? size_ / 2 : x; }
    [[nodiscard]] NodeId above(NodeId x) const { return wraps_ ? (size_ - 1) / 2 : size_ - 1 - x; }

    NodeId size_ = 2;
    NodeId here_ = 0;
    bool wraps_ = false;
    Port minus_;
    Port plus_;
};

/// A total goes both ways along the node's row; then what came from one side goes on to the other.
class RowStream {
  public:
    RowStream(Node& self, int dimension, const Value& total)
        : self_(self), row_(self.topology(), dimension, self.id()), sides_(self, row_.here(), row_.size()),
          total_(total), up_(total), down_(total) {}

    [[nodiscard]] NodeId rounds() const { return row_.size() - 1; }
    [[nodiscard]] Program send(NodeId round) {
        if (round <= row_.up()) co_await self_.send(row_.plus(), up_);
        if (round <= row_.down()) co_await self_.send(row_.minus(), down_);
    }
    [[nodiscard]] Program receive(NodeId round) {
        if (round <= row_.from_below()) {
            const Arrival arrival = co_await self_.receive(row_.minus());
            up_ = arrival.value();
            sides_.came_from_below(up_);
        }
        if (round <= row_.from_above()) {
            const Arrival arrival = co_await self_.receive(row_.plus());
            down_ = arrival.value();
            sides_.came_from_above(down_);
        }
    }
    /// The fold of what came from lower positions of the row.
    [[nodiscard]] Value before() const { return sides_.before(); }
    /// The fold of the whole row.
    [[nodiscard]] Value total() const { return sides_.with(total_); }

  private:
    Node& self_;
    GridRow row_;
    FoldedSides sides_;
    Value total_;
    Value up_;
    Value down_;
};

}  // namespace kport
