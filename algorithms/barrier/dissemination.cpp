/// @file dissemination.cpp   The dissemination barrier on the complete graph.
#include <algorithm>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Barrier on the complete graph.
///
/// Machine   complete graph of N nodes, any N, store-and-forward or wormhole, any k, full duplex ports
/// Gives     every node knows that all have entered
/// Costs     rounds and path sum ceil(log_{k+1} N)
/// Idea      In step i a node signals to the nodes j (k+1)^i numbers after it, j = 1 .. k. So it has heard of the (k+1)^i nodes
///           before it, then of k + 1 times as many.
/// Source    Hensgen, Finkel, Manber 1988
Program enter_by_dissemination(Node& self, Port ports) {
    const NodeId nodes = self.nodes();
    const NodeId me = self.id();
    PacketSet entered = PacketSet::range(me, me + 1);
    for (NodeId unit = 1; unit < nodes; unit *= NodeId{ports} + 1) {
        for (NodeId j = 1; j <= ports && j * unit < nodes; ++j) co_await self.send_to((me + j * unit) % nodes, entered);
        for (NodeId j = 1; j <= ports && j * unit < nodes; ++j) {
            const Arrival signal = co_await self.receive_from((me + nodes - j * unit) % nodes);
            entered.include(signal.packets());
        }
    }
}

std::optional<std::string> misfit_barrier_dissemination(const Machine& machine, const Collective&,
                                                        const AlgorithmOptions& options) {
    return first_of({needs_complete(machine), needs_full_duplex(machine), needs_partners(machine),
                     needs_links_for_steps(machine), needs_table(machine), takes_no_options(options)});
}

Start make_barrier_dissemination(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Port ports = machine.widest();
    return {[ports](Node& self) { return enter_by_dissemination(self, ports); }, {}, true};
}

ExpectedCost expect_barrier_dissemination(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t ports = machine.widest();
    std::uint64_t rounds = 0;
    std::uint64_t signals = 0;  // a node's signals
    for (NodeId unit = 1; unit < nodes; unit *= ports + 1, ++rounds) signals += std::min(ports, (nodes - 1) / unit);
    return {rounds,
            nodes * signals,
            rounds,
            0,
            {fmt::format("each round multiplies the nodes of which a node knows by up to {}: ceil(log{} {}) = {}",
                         ports + 1, ports + 1, nodes, counted(rounds, "round")),
             fmt::format("{} signals a node in all, each over one link: work {} * {} = {}", signals, nodes, signals,
                         nodes * signals)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_barrier_dissemination() {
    return {{
        .operation = Operation::barrier,
        .name = "dissemination",
        .rule = "in step i each node signals to the nodes j (k+1)^i numbers after it",
        .needs = "complete graph, any N, SF or WH, any k, full duplex, not pairwise",
        .cost = "ceil(log_{k+1} N) rounds, volume 0",
        .source = "Hensgen, Finkel, Manber 1988",
        .misfit = misfit_barrier_dissemination,
        .make = make_barrier_dissemination,
        .expect = expect_barrier_dissemination,
    }};
}

}  // namespace kport
