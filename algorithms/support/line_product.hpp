/// @file line_product.hpp   Recursive doubling along lines, one dimension of a grid after the other (model.md sections 4.1 to
///                          4.3, 5.2, 5.3).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/support/cut_line.hpp"
#include "algorithms/support/segment.hpp"
#include "emulator/machine/machine.hpp"

namespace kport {

/// Which node is responsible for which segment of its line in which phase of the product, and the cost.
///
/// One phase a dimension: every node that has been reached halves its line in this dimension. A phase begins in the same
/// round on all lines.
///
/// Callers   any thread, after construction.
class LineProduct {
  public:
    /// `dimensions`: their order; empty: 0, 1, ...
    LineProduct(const Grid& grid, NodeId source, const std::vector<unsigned>& dimensions, Keep keep);

    /// A node's role in a phase.
    struct Turn {
        std::size_t phase;
        Segment segment;
    };
    /// Returns the phase in which a node is reached, and its segment then; for the source, the first whole line.
    [[nodiscard]] Turn first_turn(NodeId v) const;
    /// Returns the next phase, with the whole line.
    [[nodiscard]] Turn after(const Turn& turn) const {
        const std::size_t next = turn.phase + 1;
        return {next, {0, next < phases() ? line(next).size() : 0}};
    }

    [[nodiscard]] std::size_t phases() const { return phases_.size(); }
    [[nodiscard]] const CutLine& line(std::size_t phase) const { return phases_[phase].line; }
    /// Returns the last round before a phase.
    [[nodiscard]] Round rounds_before(std::size_t phase) const { return phases_[phase].after; }
    [[nodiscard]] Keep keep() const { return keep_; }
    [[nodiscard]] const std::vector<unsigned>& order() const { return order_; }

    /// Returns rounds, work and path sum, with a line of derivation a phase; without work and path sum if a line is too
    /// long to walk the recursion.
    [[nodiscard]] ExpectedCost cost() const;
    /// Adds what a scatter's bundles cost: volume and latency, where cost() has found the work.
    void add_bundles(ExpectedCost& cost, const Costs& costs, std::uint64_t packet_bytes) const;

  private:
    struct Phase {
        CutLine line;
        Round after;
    };
    NodeId source_;
    Keep keep_;
    std::vector<unsigned> order_;
    std::vector<Phase> phases_;
};

/// Returns why the product cannot run on a machine in this order of dimensions; nothing if it can.
[[nodiscard]] std::optional<std::string> misfit_line_product(const Machine& machine, const AlgorithmOptions& options);

}  // namespace kport
