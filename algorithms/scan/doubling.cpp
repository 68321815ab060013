/// @file doubling.cpp   Prefix sums on the complete graph (model.md section 6).
#include <algorithm>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/node_values.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Prefix sums: node v gets the combination of the contributions of nodes 0 .. v, in this order.
///
/// Machine   complete graph of N nodes, any N, store-and-forward or wormhole, any k, full duplex ports
/// Gives     node v holds the contributions of 0 .. v, folded in order
/// Costs     rounds ceil(log_{k+1} N), as many packets of volume; one port: work the sum of N - 2^i
/// Idea      A node has folded the contributions of itself and of the nodes before it, `unit` of them. It sends the sum to the
///           nodes unit, 2 unit, ..., k unit numbers on, and puts what comes in front of its own, the nearest first.
/// Source    Hillis, Steele 1986; model.md section 6
Program prefix_sums_by_doubling(Node& self, NodeId ports) {
    const NodeId me = self.id();
    const NodeId nodes = self.nodes();
    PrefixSum prefix(self);
    for (NodeId unit = 1; unit < nodes; unit *= ports + 1) {
        for (NodeId j = 1; j <= ports && me + j * unit < nodes; ++j)
            co_await self.send_to(me + j * unit, prefix.with_own());
        for (NodeId j = 1; j <= ports && j * unit <= me; ++j) {
            const Arrival arrival = co_await self.receive_from(me - j * unit);
            prefix.put_in_front(arrival.value());
        }
    }
    prefix.give();
}

std::optional<std::string> misfit_scan_doubling(const Machine& machine, const Collective&,
                                                const AlgorithmOptions& options) {
    return first_of(
        {needs_complete(machine), needs_full_duplex(machine), needs_partners(machine), takes_no_options(options)});
}

Start make_scan_doubling(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId ports = machine.widest();
    return {[ports](Node& self) { return prefix_sums_by_doubling(self, ports); }, {}, true};
}

ExpectedCost expect_scan_doubling(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const NodeId ports = machine.widest();
    std::uint64_t rounds = 0;
    std::uint64_t work = 0;
    for (NodeId unit = 1; unit < nodes; unit *= ports + 1, ++rounds)
        for (NodeId j = 1; j <= ports && j * unit < nodes; ++j) work += nodes - j * unit;
    return {rounds,
            work,
            rounds,
            rounds,
            {fmt::format("each round multiplies what a node has folded by up to {}: ceil(log{} {}) = {}", ports + 1,
                         ports + 1, nodes, counted(rounds, "round")),
             fmt::format("of N nodes N - d send d numbers on, over one link: work {}", work),
             fmt::format("a partial sum has the size of one packet whatever it sums up: volume {}",
                         counted(rounds, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_scan_doubling() {
    return with_exclusive({
        .operation = Operation::scan,
        .name = "doubling",
        .rule = "each node sends what it has folded to the node 1, 2, 4, ... numbers after it, which puts it in front",
        .needs = "complete graph, any N, SF or WH, any k, full duplex, not pairwise",
        .cost = "ceil(log_{k+1} N) rounds, volume as many packets; one port: work the sum of N - 2^i",
        .source = "Hillis, Steele 1986; model section 6",
        .misfit = misfit_scan_doubling,
        .make = make_scan_doubling,
        .expect = expect_scan_doubling,
        .in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"},
    });
}

}  // namespace kport
