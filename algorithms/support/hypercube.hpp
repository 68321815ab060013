/// @file hypercube.hpp   What algorithms on hypercubes share: the binomial tree, and exchanges across each dimension.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/node/exchange.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport {

/// The spanning binomial tree. A node serves the dimensions above the one by which it was reached, the lowest first; the source serves all.
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

/// Reductions by exchange across one dimension of a hypercube after the other.
class CubeExchange final : public ValueExchange {
  public:
    explicit CubeExchange(int dimensions) : dimensions_(dimensions) {}
    [[nodiscard]] unsigned steps() const override { return static_cast<unsigned>(dimensions_); }
    [[nodiscard]] Ports ports(unsigned step) const override {
        const Port port = Hypercube::port(static_cast<int>(step));
        return {port, port};
    }

  private:
    int dimensions_;
};

[[nodiscard]] inline std::optional<std::string> misfit_cube_exchange(const Machine& machine, const Collective&,
                                                                     const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), needs_send_beside_receive(machine), needs_full_links(machine),
                     takes_no_options(options)});
}

[[nodiscard]] inline Start make_cube_exchange(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    return {PlanProgram(std::make_shared<const CubeExchange>(as_hypercube(machine)->dimensions())), {}, true};
}

}  // namespace kport
