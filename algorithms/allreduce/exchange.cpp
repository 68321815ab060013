/// @file exchange.cpp   All-reduce by exchange on the hypercube (model.md section 6 (ii)).
#include <memory>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/node/exchange.hpp"

namespace kport {

namespace {

/// All-reduce: every node gets the combination of all contributions.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, any k, full duplex ports or two
/// Gives     every node holds the fold of all contributions in the order of the nodes
/// Costs     rounds n, work N n, path sum n, volume n packets
/// Idea      In phase i partners across dimension i exchange their partial results, those of two neighbouring blocks of
///           2^i nodes. The lower block stands left.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.3; model.md section 6 (ii)
class AllreduceByExchange final : public ValueExchange {
  public:
    explicit AllreduceByExchange(int dimensions) : dimensions_(dimensions) {}
    [[nodiscard]] unsigned steps() const override { return static_cast<unsigned>(dimensions_); }
    [[nodiscard]] Port port(unsigned step) const override { return Hypercube::port(static_cast<int>(step)); }
    [[nodiscard]] Folds folds(NodeId v, NodeId from, unsigned) const override { return {.on_the_left = from < v}; }

  private:
    int dimensions_;
};

std::optional<std::string> misfit_allreduce_exchange(const Machine& machine, const Collective&,
                                                     const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), needs_send_beside_receive(machine), needs_full_links(machine),
                     takes_no_options(options)});
}

Start make_allreduce_exchange(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    return {
        ExchangeProgram(std::make_shared<const AllreduceByExchange>(as_hypercube(machine)->dimensions())), {}, true};
}

ExpectedCost expect_allreduce_exchange(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const NodeId nodes = machine.topology->nodes();
    return {
        n,
        nodes * n,
        n,
        n,
        {fmt::format("in each of {} phases all nodes exchange one partial result across a dimension: {}", n,
                     counted(n, "round")),
         fmt::format("{} of {} bytes over one link each: work {} * {} = {}", counted(nodes * n, "message"),
                     collective.packet_bytes, nodes, n, nodes * n),
         fmt::format("a reduction and a broadcast need 2 * {} rounds, but no node sends and receives in the same round",
                     n)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allreduce_exchange() {
    return {{
        .operation = Operation::allreduce,
        .name = "exchange",
        .rule = "partners across each dimension exchange and fold their values",
        .needs = "hypercube, SF or WH, any k, full duplex or two ports, full duplex links",
        .cost = "n rounds, work N n, volume n packets",
        .source = "Kumar et al. ch. 4.3; model section 6 (ii)",
        .misfit = misfit_allreduce_exchange,
        .make = make_allreduce_exchange,
        .expect = expect_allreduce_exchange,
        .exchanges = true,
        .in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"},
    }};
}

}  // namespace kport
