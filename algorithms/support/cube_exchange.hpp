/// @file cube_exchange.hpp   Reductions by exchange across one dimension of a hypercube after the other.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/node/exchange.hpp"

namespace kport {

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
