/// @file direct.cpp   The root sends every node its packet directly (model.md section 5.5).
#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/complete.hpp"

namespace kport {

namespace {

/// One-to-all scatter in which only the root sends.
///
/// Machine   any graph, wormhole, 1-port; complete graph, store-and-forward or wormhole, any k. Combining or not
/// Gives     every node holds its own packet
/// Costs     rounds ceil((N - 1) / k), work sum of the distances
/// Idea      The root sends directly to each node, k in a round; no other node sends.
/// Source    model.md section 5.5
Program scatter_directly(Node& self, const Parcels& parcels, NodeId root, Port ports) {
    if (self.id() != root) {
        for (std::uint64_t j = 0; j < parcels.messages(); ++j) co_await self.receive();
        co_return;
    }
    // With one port the messages for a node are sent consecutively; with several ports those of a round go to different
    // nodes.
    const std::uint64_t in_a_row = ports > 1 ? 1 : parcels.messages();
    const NodeId nodes = self.topology().nodes();
    for (std::uint64_t begun = 0; begun < parcels.messages(); begun += in_a_row)
        for (NodeId v = 0; v < nodes; ++v)
            for (std::uint64_t j = begun; j < begun + in_a_row && v != root; ++j)
                co_await self.pass_to(v, parcels.message(v, j));
}

bool is_complete(const Machine& machine) { return dynamic_cast<const Complete*>(machine.topology.get()) != nullptr; }

std::optional<std::string> misfit_scatter_direct(const Machine& machine, const Collective&,
                                                 const AlgorithmOptions& options) {
    if (is_complete(machine)) return takes_no_options(options);
    return first_of({unless(machine.switching == Switching::wormhole, "needs wormhole switching or a complete graph"),
                     unless(!needs_one_port(machine), "needs a 1-port machine or a complete graph"),
                     takes_no_options(options)});
}

Start make_scatter_direct(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId root = collective.root;
    return {[root, ports = machine.widest(), parcels = Parcels(machine, collective)](Node& self) {
                return scatter_directly(self, parcels, root, ports);
            },
            {root}};
}

ExpectedCost expect_scatter_direct(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const Topology& topology = *machine.topology;
    const std::uint64_t others = collective.packets_each * (topology.nodes() - 1);
    const std::uint64_t k = machine.widest();
    const std::uint64_t rounds = others == 0 ? 0 : (others + k - 1) / k;
    const std::uint64_t hops = collective.packets_each * topology.sum_of_distances(collective.root);
    return {rounds,
            hops,
            is_complete(machine) ? rounds : hops,
            rounds,
            {fmt::format("the root sends {}, at most {} in a round, each in a message of its own: {}, volume {}",
                         counted(others, "packet"), k, counted(rounds, "round"), counted(rounds, "packet")),
             fmt::format("each goes straight to its node: the distances add up to {}", counted(hops, "hop"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_scatter_direct() {
    return with_reversal(
        {
            .operation = Operation::scatter,
            .name = "direct",
            .rule = "the root sends every node its packet straight",
            .needs = "any graph, WH, 1-port; complete graph, SF or WH, any k",
            .cost = "ceil((N-1)/k) rounds and as many packets volume, without combining ceil(M(N-1)/k); work the sum "
                    "of the distances; with one port path sum too",
            .source = "model section 5.5",
            .misfit = misfit_scatter_direct,
            .make = make_scatter_direct,
            .expect = expect_scatter_direct,
            .with_many = WithMany::apart,
            .single_packets = true,
            .port_use = PortUse::sends,
        },
        Operation::gather);
}

}  // namespace kport
