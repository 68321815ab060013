/// @file chain.cpp   Prefix sums of a vector in segments, passed from node to node (model.md section 13.2).
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "algorithms/bounds/facts.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/node_values.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Returns the rounds from one segment to the next at a node: 2 if it cannot receive a segment from one side while it
/// sends the previous one to the other. With two nodes neither has two sides.
Round rounds_between_segments(const Machine& machine) {
    const bool at_once = !needs_send_beside_receive(machine) && !needs_partners(machine);
    return at_once || machine.topology->nodes() <= 2 ? 1 : 2;
}

/// Prefix sums: node v gets the combination of the contributions of nodes 0 .. v, in this order, of each segment.
///
/// Machine   any graph in which v and v + 1 are neighbours for all v, store-and-forward or wormhole, any k. Combining or not
/// Gives     node v holds the contributions of 0 .. v, folded in order
/// Costs     rounds M + N - 2; 2 (M - 1) + N - 1 where a node of three or more cannot receive beside sending (half duplex, 1-port)
///           or has one partner a round (pairwise); as many packets of volume; work M (N - 1)
/// Idea      A segment goes from node 0 to node N - 1. Each node puts what comes in front of its own, keeps that as its result, and
///           passes it on in the next round. The next segment follows as soon as the node is free for it.
/// Source    model.md section 13.2
Program prefix_sums_along_chain(Node& self, Round between) {
    const NodeId me = self.id();
    const std::uint64_t segments = self.collective().packets_each;
    std::vector<Value> prefixes;
    prefixes.reserve(segments);
    for (std::uint64_t j = 0; j < segments; ++j) {
        PrefixSum prefix(self, self.contribution(PacketSet::range(j, j + 1)));
        if (me > 0) {
            const Arrival arrival = co_await self.receive_from(me - 1);
            prefix.put_in_front(arrival.value());
        }
        if (me + 1 < self.nodes()) {
            co_await self.until(static_cast<Round>(me + 1 + between * j));
            co_await self.send_to(me + 1, prefix.with_own());
        }
        if (!prefix.result().is_none()) prefixes.push_back(prefix.result());
    }
    if (prefixes.empty()) co_return;
    std::vector<const Value*> all;
    all.reserve(segments);
    for (const Value& prefix : prefixes) all.push_back(&prefix);
    self.result(self.concatenate(all));
}

std::optional<std::string> misfit_scan_chain(const Machine& machine, const Collective&,
                                             const AlgorithmOptions& options) {
    const Topology& topology = *machine.topology;
    const std::optional<NodeId> gap = bounds::first_gap(topology);
    if (!gap) return "needs nodes v and v+1 to be neighbours for all v, which is not looked at on so many nodes";
    if (*gap + 1 < topology.nodes())
        return fmt::format("needs nodes v and v+1 to be neighbours for all v, and {} and {} are not",
                           topology.name(*gap), topology.name(*gap + 1));
    return takes_no_options(options);
}

Start make_scan_chain(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Round between = rounds_between_segments(machine);
    return {[between](Node& self) { return prefix_sums_along_chain(self, between); }, {}, true};
}

ExpectedCost expect_scan_chain(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    if (nodes == 1) return {0, 0, 0, 0, {"one node: nothing moves, volume 0 packets"}};
    const std::uint64_t m = collective.packets_each;
    const std::uint64_t between = rounds_between_segments(machine);
    const std::uint64_t rounds = nodes - 1 + between * (m - 1);
    std::vector<std::string> derivation{
        fmt::format("the first segment comes to the last of {} in round {}", counted(nodes, "node"), nodes - 1)};
    if (m > 1)
        derivation.back() +=
            between == 1 ? fmt::format(", the others one a round: {}", counted(rounds, "round"))
                         : fmt::format(", the others one in two rounds, since no node receives beside sending: {}",
                                       counted(rounds, "round"));
    derivation.push_back(
        fmt::format("every node but the first receives each segment once, over one link: work {} * {} = {}", m,
                    nodes - 1, m * (nodes - 1)));
    derivation.push_back(fmt::format("every message is one partial result over one link: volume {}, path sum {}",
                                     counted(rounds, "packet"), rounds));
    return {rounds, m * (nodes - 1), rounds, rounds, std::move(derivation)};
}

}  // namespace

std::vector<Algorithm> algorithms_in_scan_chain() {
    return with_exclusive({
        .operation = Operation::scan,
        .name = "chain",
        .rule =
            "segment after segment goes from node to node; each puts what comes in front of its own and passes it on",
        .needs = "any graph in which v and v+1 are neighbours for all v (complete, line, ring), SF or WH, any k",
        .cost =
            "M+N-2 rounds and packets, work M(N-1); half duplex with one port, or pairwise, N > 2: 2(M-1)+N-1 rounds",
        .source = "model section 13.2",
        .misfit = misfit_scan_chain,
        .make = make_scan_chain,
        .expect = expect_scan_chain,
        .with_many = WithMany::own,
        .single_links = true,
        .single_packets = true,
        .in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"},
    });
}

}  // namespace kport
