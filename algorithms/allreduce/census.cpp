/// @file census.cpp   All-reduce on the complete graph in the fewest rounds, for any number of nodes.
#include <bit>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/segment.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-reduce on the complete graph.
///
/// Machine   complete graph of N nodes, any N, store-and-forward or wormhole, any k, full duplex ports and links
/// Gives     every node has the fold of all contributions
/// Costs     rounds and path sum L(N), work N L(N), volume M L(N) packets
/// Idea      Node v knows the fold of the l contributions after its own, at first of none. N - 1 is read in binary: for a 0 it
///           receives what v + l knows, and knows of 2 l; for a 1 it receives from v + l + 1 what that knows and its own
///           contribution, and knows of 2 l + 1. At the end l = N - 1, and its own contribution is the last.
/// Source    Bar-Noy, Kipnis, Schieber 1993
Program census(Node& self) {
    const NodeId nodes = self.nodes();
    const NodeId v = self.id();
    const Value own = self.contribution();
    Value after;  // sum of `length` contributions
    NodeId length = 0;
    for (unsigned bit = ceil_log2(nodes); bit-- > 0;) {
        const NodeId more = (nodes - 1) >> bit & 1;
        const NodeId distance = length + more;
        if (distance == 0) continue;
        const Value mine = more == 0 ? after : length == 0 ? own : self.merge(own, after);
        co_await self.send_to((v + nodes - distance) % nodes, mine);
        const Arrival arrival = co_await self.receive_from((v + distance) % nodes);
        after = length == 0 ? arrival.value() : self.merge(after, arrival.value());
        length = 2 * length + more;
    }
    self.result(length == 0 ? own : self.merge(own, after));
}

std::optional<std::string> misfit_allreduce_census(const Machine& machine, const Collective&,
                                                   const AlgorithmOptions& options) {
    return first_of({needs_complete(machine), needs_full_duplex(machine), needs_partners(machine),
                     needs_full_links(machine), needs_table(machine), takes_no_options(options)});
}

Start make_allreduce_census(const Machine&, const Collective&, const AlgorithmOptions&) {
    return {[](Node& self) { return census(self); }, {}, true};
}

ExpectedCost expect_allreduce_census(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t rounds = ceil_log2(nodes);
    return {
        rounds,
        nodes * rounds,
        rounds,
        rounds,
        {fmt::format("{} has {} binary digits: {}", nodes - 1, rounds, counted(rounds, "round")),
         fmt::format("one message a node and round, over one link: work {} * {} = {}", nodes, rounds, nodes * rounds),
         fmt::format("each has the size of one contribution: volume {}", counted(rounds, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allreduce_census() {
    return {{
        .operation = Operation::allreduce,
        .name = "census",
        .rule = "each node knows the fold of the l contributions after its own; l grows by the binary digits of N-1",
        .needs = "complete graph, any N, SF or WH, any k, full duplex ports and links, not pairwise",
        .cost = "L(N) rounds, work N L(N), volume L(N) packets",
        .source = "Bar-Noy, Kipnis, Schieber 1993",
        .misfit = misfit_allreduce_census,
        .make = make_allreduce_census,
        .expect = expect_allreduce_census,
        .merges = true,
        .agrees = [](const Topology& topology) -> std::optional<Agrees> {
            return topology.nodes() <= 2 ? Agrees::always : Agrees::no;
        },
    }};
}

}  // namespace kport
