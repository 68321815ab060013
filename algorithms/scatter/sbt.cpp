/// @file sbt.cpp   Scatter down the spanning binomial tree of the hypercube (model.md section 5.1).
#include <memory>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/hypercube.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/node/forwarding.hpp"

namespace kport {

namespace {

/// One-to-all scatter down the spanning binomial tree.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, any k, combining
/// Gives     every node holds its own packet
/// Costs     rounds n, work N - 1, path sum n, volume N - 1 packets with one port
/// Idea      Send all packets for the half behind each higher dimension across it; the bundle halves every time.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.4; model.md section 5.1
class DownSbt final : public Splitting {
  public:
    DownSbt(const Machine& machine, const Collective& collective)
        : Splitting(collective), tree_(machine), m_(collective.packets_each) {}
    [[nodiscard]] Port first(NodeId, Port in) const override { return tree_.first(in); }
    [[nodiscard]] Port next(NodeId, Port last) const override { return tree_.next(last); }
    /// Returns the packets for the nodes that have the child's bits up to that dimension.
    [[nodiscard]] PacketSet part(NodeId v, Port out) const override {
        const int d = Hypercube::dimension_of(out);
        const NodeId child = Hypercube::neighbour(v, d);
        const NodeId stride = NodeId{2} << d;
        return packets_of(Progression{static_cast<std::uint32_t>(child % stride), static_cast<std::uint32_t>(stride),
                                      static_cast<std::uint32_t>(tree_.cube().nodes() / stride)},
                          m_);
    }

  private:
    BinomialTree tree_;
    std::uint64_t m_;
};

std::optional<std::string> misfit_scatter_sbt(const Machine& machine, const Collective&,
                                              const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), needs_combining(machine), takes_no_options(options)});
}

Start make_scatter_sbt(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return {PlanProgram(std::make_shared<DownSbt>(machine, collective)), {collective.root}};
}

ExpectedCost expect_scatter_sbt(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const NodeId nodes = machine.topology->nodes();
    return {
        n,
        nodes - 1,
        n,
        nodes - 1,
        {machine.widest() == 1
             ? fmt::format("in round i every holder sends across dimension i: {}", counted(n, "round"))
             : fmt::format("the farthest node is {} away, however many ports a holder uses: {}", counted(n, "link"),
                           counted(n, "round")),
         fmt::format("the largest bundle of round i has 2^({}-i) packets: volume {}", n, counted(nodes - 1, "packet")),
         fmt::format("every node but the root receives one message, over one link: work {}", nodes - 1)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_scatter_sbt() {
    return with_reversal(
        {
            .operation = Operation::scatter,
            .name = "sbt",
            .rule = "spanning binomial tree: send all packets for the nodes behind each higher dimension across it",
            .needs = "hypercube, SF or WH, any k, combining",
            .cost = "n rounds, path sum n, volume N-1 packets",
            .source = "Kumar et al. ch. 4.4; model section 5.1",
            .misfit = misfit_scatter_sbt,
            .make = make_scatter_sbt,
            .expect = expect_scatter_sbt,
            .port_use = PortUse::sends,
        },
        Operation::gather);
}

}  // namespace kport
