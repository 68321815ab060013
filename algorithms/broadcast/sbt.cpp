/// @file sbt.cpp   The spanning binomial tree of the hypercube (model.md section 3.4).
#include <memory>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/hypercube.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/node/forwarding.hpp"

namespace kport {

namespace {

/// One-to-all broadcast along the spanning binomial tree.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, any k
/// Gives     every node holds the source's packet
/// Costs     rounds n, work N - 1, path sum n
/// Idea      A node forwards only along dimensions higher than the one the packet came by: with one port in phase i every
///           informed node informs the one across dimension i; with all ports round i informs the nodes i bits away.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.1; Johnsson, Ho, IEEE TC 38(9) 1989
class AlongSbt final : public Forwarding {
  public:
    AlongSbt(const Machine& machine, const Collective& collective)
        : Forwarding(collective, machine.combining), tree_(machine) {}
    [[nodiscard]] Port first(NodeId, Port in) const override { return tree_.first(in); }
    [[nodiscard]] Port next(NodeId, Port last) const override { return tree_.next(last); }

  private:
    BinomialTree tree_;
};

std::optional<std::string> misfit_broadcast_sbt(const Machine& machine, const Collective&,
                                                const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), takes_no_options(options)});
}

Start make_broadcast_sbt(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return {PlanProgram(std::make_shared<AlongSbt>(machine, collective)), {collective.root}};
}

ExpectedCost expect_broadcast_sbt(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const NodeId nodes = machine.topology->nodes();
    ExpectedCost cost{n, nodes - 1, n, n, {}};
    if (machine.widest() == 1)
        cost.derivation.push_back(
            fmt::format("in phase i each of the 2^(i-1) informed nodes informs one more across dimension i: {}",
                        counted(n, "phase")));
    else if (machine.widest() >= n)
        cost.derivation.push_back(fmt::format(
            "round i informs the C({0},i) nodes that differ from the source in i bits: {1}", n, counted(n, "round")));
    else
        cost.derivation.push_back(
            fmt::format("no node can be informed before its distance from the source, and the farthest is {} away; "
                        "with one port {} suffice already",
                        counted(n, "link"), counted(n, "round")));
    cost.derivation.push_back(
        fmt::format("every node but the source receives once, over one link: work 2^{} - 1 = {}", n, nodes - 1));
    cost.derivation.push_back(fmt::format("every path is one link, so the path sum is the number of rounds, {}", n));
    return in_turn(cost, machine, Copies(machine, collective).messages(), n);
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_sbt() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "sbt",
            .rule = "spanning binomial tree: forward only along dimensions higher than the one the packet came by",
            .needs = "hypercube, SF or WH, any k",
            .cost = "n rounds on 2^n nodes, path sum n",
            .source = "Kumar et al. ch. 4.1; model section 3.4",
            .misfit = misfit_broadcast_sbt,
            .make = make_broadcast_sbt,
            .expect = expect_broadcast_sbt,
            .with_many = WithMany::in_turn,
        },
        Operation::reduce);
}

}  // namespace kport
