/// @file star.cpp   All-reduce of a vector on a star whose centre has one port.
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/node_values.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// The node that is next to all others in a tree; no_node: there is none.
NodeId centre_of_star(const Topology& topology) {
    const NodeId nodes = topology.nodes();
    if (nodes < 2 || topology.channels() != 2 * (nodes - 1)) return no_node;
    if (topology.degree(0) == nodes - 1) return 0;
    for (Port port = 0; port < topology.ports(); ++port)
        if (const NodeId v = topology.across(0, port).node; v != no_node && topology.degree(v) == nodes - 1) return v;
    return no_node;
}

/// All-reduce on a star.
///
/// Machine   star, store-and-forward or wormhole, any k, full duplex ports and links, not pairwise, combining or not
/// Gives     every node holds the fold of all contributions
/// Costs     of M segments: rounds, path sum and volume (N - 1) M + ceil((N - 2) / k), work 2 (N - 1) M
/// Idea      The leaves 1 .. N-1 send in turn, segment after segment. In the round in which the last leaf sends, the centre sends it
///           the fold of all others; then it sends the result to leaves 1, 2, .., while the next segment comes in.
/// Proof     With one port the centre receives each of (N - 1) M values in a round of its own. After the last of them N - 2 leaves still lack a
///           segment: a leaf cannot have its last segment before all others have sent theirs, and the centre tells one a round.
/// Source    the proof
Program reduce_on_star(Node& self, NodeId centre) {
    const NodeId leaves = self.nodes() - 1;
    const auto leaf = [=](NodeId rank) { return rank < centre ? rank : rank + 1; };
    const NodeId rank = self.id() < centre ? self.id() : self.id() - 1;  // of a leaf
    const bool is_last = rank == leaves - 1;
    std::vector<Value> results(self.collective().segments(self.nodes()));
    Value sum;
    for (NodeId segment = 0; segment < results.size(); ++segment) {
        const auto round = [=](NodeId turn) { return static_cast<Round>(segment * leaves + turn + 1); };
        if (self.id() != centre) {
            const Value own = contribution_to(self, segment);
            co_await self.until(round(rank));
            co_await self.send_to(centre, own);
            if (!is_last && segment == 0) continue;
            const Arrival arrival = co_await self.receive_from(centre);
            if (is_last)
                results[segment] = self.whole(self.merge(arrival.value(), own));
            else
                results[segment - 1] = arrival.value();
            continue;
        }
        sum = contribution_to(self, segment);
        for (NodeId turn = 0; turn < leaves; ++turn) {
            co_await self.until(round(turn));
            if (turn == leaves - 1)
                co_await self.send_to(leaf(turn), sum);
            else if (segment > 0)
                co_await self.send_to(leaf(turn), results[segment - 1]);
            const Arrival arrival = co_await self.receive_from(leaf(turn));
            sum = self.merge(sum, arrival.value());
        }
        results[segment] = self.whole(sum);
    }
    for (NodeId turn = 0; turn + 1 < leaves && self.id() == centre; ++turn)
        co_await self.send_to(leaf(turn), results.back());
    if (self.id() != centre && !is_last) {
        const Arrival arrival = co_await self.receive_from(centre);
        results.back() = arrival.value();
    }
    put_results(self, results);
}

std::optional<std::string> misfit_star(const Machine& machine, const Collective&, const AlgorithmOptions& options) {
    return first_of({unless(centre_of_star(*machine.topology) != no_node, "needs a star"), needs_full_duplex(machine),
                     needs_full_links(machine), needs_partners(machine), needs_table(machine),
                     takes_no_options(options)});
}

Start make_star(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId centre = centre_of_star(*machine.topology);
    return {[centre](Node& self) { return reduce_on_star(self, centre); }, {}, true};
}

ExpectedCost expect_star(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const std::uint64_t leaves = machine.topology->nodes() - 1;
    const std::uint64_t m = collective.packets_each;
    const std::uint64_t ports = machine.ports_of(centre_of_star(*machine.topology));
    const std::uint64_t rounds = leaves * m + (leaves - 1 + ports - 1) / ports;
    return {rounds,
            2 * leaves * m,
            rounds,
            rounds,
            {fmt::format("{} of each of {} leaves come to the centre one by one, then {} lack the last result, {} of "
                         "them a round: {}",
                         counted(m, "segment"), leaves, leaves - 1, ports, counted(rounds, "round")),
             fmt::format("each segment crosses {} twice, alone: work 2 * {} * {} = {}", counted(leaves, "link"), leaves,
                         m, 2 * leaves * m)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allreduce_star() {
    return {{
        .operation = Operation::allreduce,
        .name = "star",
        .rule =
            "the leaves send in turn, segment after segment; the centre tells each the result while the next comes in",
        .needs = "star, SF or WH, any k, full duplex ports and links, not pairwise, combining or not",
        .cost = "(N-1)M + ceil((N-2)/k) rounds, volume as many packets, work 2(N-1)M: the least of single values with "
                "one port",
        .source = "the centre receives one value a round, and tells one leaf",
        .misfit = misfit_star,
        .make = make_star,
        .expect = expect_star,
        .with_many = WithMany::own,
        .single_links = true,
        .single_packets = true,
        .merges = true,
    }};
}

}  // namespace kport
