/// @file binomial_tree.hpp   The spanning binomial tree of the hypercube, used by broadcast and scatter.
#pragma once

#include <memory>

#include "algorithms/support/fit.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport {

/// A node serves the dimensions above the one by which it was reached, the lowest first; the source serves all.
///
/// Callers   any thread.
class BinomialTree {
  public:
    /// Requires a hypercube.
    explicit BinomialTree(const Machine& machine) : cube_(machine.topology, as_hypercube(machine)) {}

    [[nodiscard]] const Hypercube& cube() const { return *cube_; }
    /// Returns the first port of a node reached by `in` (no_port: the source); next(): the one after `last`. no_port:
    /// there is none.
    [[nodiscard]] Port first(Port in) const {
        return by_dimension(in == no_port ? 0 : Hypercube::dimension_of(in) + 1);
    }
    [[nodiscard]] Port next(Port last) const { return by_dimension(Hypercube::dimension_of(last) + 1); }

  private:
    [[nodiscard]] Port by_dimension(int d) const { return d < cube_->dimensions() ? Hypercube::port(d) : no_port; }

    std::shared_ptr<const Hypercube> cube_;
};

}  // namespace kport
