/// @file exchange.cpp   All-to-all broadcast by exchange on the hypercube (model.md section 7).
#include <memory>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/steps.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-to-all broadcast: every node gets every node's packets.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, any k, full duplex ports or two, combining
/// Gives     every node holds all N packets
/// Costs     rounds n, work N n, path sum n, volume N - 1 packets
/// Idea      In each phase partners across a dimension exchange all their packets. From the lowest dimension on these are of
///           a block of 2^i nodes; from the highest on, for what folds: read backwards the vector halves and the distance
///           doubles, so that values stay in the order of the nodes (Rabenseifner 2004).
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.2.3; model.md section 7
class ExchangeSteps final : public Steps {
  public:
    ExchangeSteps(const Hypercube& cube, bool highest_first)
        : dimensions_(static_cast<std::uint64_t>(cube.dimensions())), highest_first_(highest_first) {}

    [[nodiscard]] std::uint64_t count() const override { return dimensions_; }
    [[nodiscard]] NodeId to(std::uint64_t step, std::uint64_t, NodeId v) const override {
        return v ^ (NodeId{1} << (highest_first_ ? dimensions_ - 1 - step : step));
    }
    [[nodiscard]] NodeId from(std::uint64_t step, std::uint64_t way, NodeId v) const override {
        return to(step, way, v);
    }
    [[nodiscard]] PacketBlocks cells(std::uint64_t step, std::uint64_t, NodeId v) const override {
        const NodeId held = NodeId{1} << step;
        if (!highest_first_) return {some_blocks(v / held * held, 1, held)};
        const NodeId stride = NodeId{1} << (dimensions_ - step);
        return {some_blocks(v % stride, stride, held)};
    }

  private:
    std::uint64_t dimensions_;
    bool highest_first_;
};

std::shared_ptr<const Steps> exchange_steps(const Machine& machine, const Collective& collective,
                                            const AlgorithmOptions&) {
    return std::make_shared<const ExchangeSteps>(*as_hypercube(machine), collective.folds());
}

std::optional<std::string> misfit_allgather_exchange(const Machine& machine, const Collective&,
                                                     const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), needs_send_beside_receive(machine), needs_full_links(machine),
                     needs_combining(machine), takes_no_options(options)});
}

ExpectedCost expect_allgather_exchange(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const NodeId nodes = machine.topology->nodes();
    return {n,
            nodes * n,
            n,
            nodes - 1,
            {fmt::format("in each of {} phases all nodes exchange all their packets across a dimension: {}", n,
                         counted(n, "round")),
             fmt::format("one message a node and phase, over one link: work {} * {} = {}", nodes, n, nodes * n),
             fmt::format("the bundles double, 1 + 2 + 4 + ...: volume {}", counted(nodes - 1, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_exchange() {
    const InOrder always{[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"};
    return by_steps<exchange_steps, misfit_allgather_exchange, expect_allgather_exchange>(
        {
            .operation = Operation::allgather,
            .name = "exchange",
            .rule = "partners across each dimension exchange all their packets",
            .needs = "hypercube, SF or WH, any k, full duplex or two ports, full duplex links, combining",
            .cost = "n rounds, work N n, volume N-1 packets",
            .source = "Kumar et al. ch. 4.2.3; model section 7",
            .misfit = misfit_allgather_exchange,
            .make = gather_by<exchange_steps>,
            .expect = expect_allgather_exchange,
        },
        {.allreduce = "halving-doubling", .in_order = always});
}

}  // namespace kport
