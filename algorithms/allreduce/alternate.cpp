/// @file alternate.cpp   All-reduce and prefix sums on an even ring, every node with one partner a round.
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/grid_row.hpp"
#include "algorithms/support/node_values.hpp"
#include "algorithms/support/ring.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-reduce and prefix sums on a ring of an even number of nodes.
///
/// Machine   ring of even N, store-and-forward or wormhole, any k, pairwise or not, full duplex ports or two, full duplex links
/// Gives     every node holds the fold of all contributions, or of those up to its own
/// Costs     rounds, path sum and volume N / 2, work N^2 / 2
/// Idea      The links (x, x + 1) take turns: x even in odd rounds, x odd in even rounds. Their ends exchange what came last: in
///           round 1 their own contributions, whose fold is their pair's value, in round 2 that value.
/// Proof     The pairs are a ring of N / 2, on which values of pairs stream both ways by turns: a node receives from one side in
///           even rounds, from the other in odd ones, each time the next pair. N / 2 is the diameter.
/// Source    the proof
template <bool scans>
Program exchange_alternately(Node& self) {
    const NodeId nodes = self.nodes();
    const bool is_lower = self.id() % 2 == 0;  // of its pair
    const GridRow row(self.topology(), 0, self.id());
    const Port inside = is_lower ? row.plus() : row.minus();
    const Port outside = is_lower ? row.minus() : row.plus();
    const Value own = self.contribution();
    co_await self.send(inside, own);
    const Arrival first = co_await self.receive(inside);
    const Value pair = is_lower ? self.fold(own, first.value()) : self.fold(first.value(), own);
    FoldedSides sides(self, self.id() / 2, nodes / 2);
    Value last = pair;
    for (NodeId round = 2; round <= nodes / 2; ++round) {
        const bool goes_inside = round % 2 == 1;
        co_await self.send(goes_inside ? inside : outside, last);
        const Arrival arrival = co_await self.receive(goes_inside ? inside : outside);
        last = arrival.value();
        if (goes_inside == is_lower)
            sides.came_from_above(last);
        else
            sides.came_from_below(last);
    }
    if (!scans) co_return self.result(sides.with(pair));
    PrefixSum prefix(self, own);
    if (!is_lower) prefix.put_in_front(first.value());
    prefix.put_in_front(sides.before());
    prefix.give();
}

std::optional<std::string> misfit_alternate(const Machine& machine, const Collective&,
                                            const AlgorithmOptions& options) {
    return first_of({needs_ring(machine), unless(machine.topology->nodes() % 2 == 0, "needs an even number of nodes"),
                     needs_send_beside_receive(machine), needs_full_links(machine), needs_table(machine),
                     takes_no_options(options)});
}

template <bool scans>
Start make_alternate(const Machine&, const Collective&, const AlgorithmOptions&) {
    return {exchange_alternately<scans>, {}, true};
}

ExpectedCost expect_alternate(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const NodeId rounds = nodes / 2;
    return {rounds,
            nodes * rounds,
            rounds,
            rounds,
            {fmt::format("after the first exchange each brings the next of {}: {} / 2 = {}", counted(rounds, "pair"),
                         nodes, counted(rounds, "round")),
             fmt::format("every node sends one value over one link in each: work {} * {} = {}, volume {}", nodes,
                         rounds, nodes * rounds, counted(rounds, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allreduce_alternate() {
    Algorithm allreduce{
        .operation = Operation::allreduce,
        .name = "alternate",
        .rule = "the links take turns, every second in a round, and their ends exchange what came last",
        .needs = "ring of even N, SF or WH, any k, pairwise or not, full duplex or two ports, full duplex links",
        .cost = "N/2 rounds, work N^2/2, volume N/2 packets: the least rounds and volume",
        .source = "streams of pairs by turns; bound D",
        .misfit = misfit_alternate,
        .make = make_alternate<false>,
        .expect = expect_alternate,
        .single_links = true,
        .single_packets = true,
        .in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"},
        .agrees = [](const Topology& topology) -> std::optional<Agrees> {
            return topology.nodes() <= 2 ? Agrees::always : Agrees::no;  // each node folds from its own place
        },
    };
    Algorithm scan = allreduce;
    scan.operation = scan.forward = Operation::scan;
    scan.make = make_alternate<true>;
    std::vector<Algorithm> rows = with_exclusive(scan);
    rows.insert(rows.begin(), allreduce);
    return rows;
}

}  // namespace kport
