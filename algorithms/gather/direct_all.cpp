/// @file direct_all.cpp   All nodes send their packets to the root at once, and wait for its ports (model.md section
///                        8).
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-to-one gather without coordination.
///
/// Machine   as scatter direct; queue policy
/// Gives     the root holds all packets
/// Costs     as scatter direct: rounds ceil((N - 1) / k), work the sum of the distances
/// Idea      Every node sends in round 1. The messages compete for the root's ports, which accept k a round, those of
///           the lowest senders first; the others wait.
/// Source    model.md section 8
Program gather_directly(Node& self, NodeId root) {
    const NodeId own = self.id();
    if (own != root) {
        co_await self.pass_to(root, packets_of(PacketSet::range(own, own + 1), self.collective().packets_each));
        co_return;
    }
    for (NodeId v = 0; v < self.topology().nodes(); ++v)
        if (v != root) co_await self.receive_from(v);
}

/// The scatter with the messages reversed.
const Algorithm* scatter_direct() { return find_algorithm(Operation::scatter, "direct"); }

std::optional<std::string> misfit_gather_direct_all(const Machine& machine, const Collective& collective,
                                                    const AlgorithmOptions& options) {
    return scatter_direct()->misfit(machine, collective, options);
}

Start make_gather_direct_all(const Machine&, const Collective& collective, const AlgorithmOptions&) {
    const NodeId root = collective.root;
    return {[root](Node& self) { return gather_directly(self, root); }, {}, true};
}

ExpectedCost expect_gather_direct_all(const Machine& machine, const Collective& collective,
                                      const AlgorithmOptions& options) {
    ExpectedCost cost = scatter_direct()->expect(machine, collective, options);
    cost.derivation = {
        fmt::format(
            "all others send in round 1, {} of one packet each; the root takes at most {} in a round: {}, volume {}",
            counted(machine.topology->nodes() - 1, "message"), machine.widest(), counted(*cost.rounds, "round"),
            counted(*cost.volume, "packet")),
        fmt::format("each goes straight to the root: the distances add up to {}", counted(*cost.work, "hop"))};
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_gather_direct_all() {
    return {{
        .operation = Operation::gather,
        .name = "direct-all",
        .rule = "all nodes send the root their packets at once; it takes as many a round as it has ports",
        .needs = "any graph, WH, 1-port; complete graph, SF or WH, any k; queue",
        .cost = "as scatter direct in every quantity",
        .source = "model section 8",
        .misfit = misfit_gather_direct_all,
        .make = make_gather_direct_all,
        .expect = expect_gather_direct_all,
        .by_default = false,
        .single_packets = true,
        .competes = true,
        .port_use = PortUse::receives,
    }};
}

}  // namespace kport
