/// @file bruck.cpp   All-to-all scatter on the complete graph by Bruck's algorithm (model.md section 10, item 5).
#include <algorithm>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Adds all packets from each of some nodes to each of others.
void add_between(PacketSet& packets, const std::vector<Progression>& from, const std::vector<Progression>& to,
                 std::uint64_t m) {
    for (const Progression& origins : from)
        for (const Progression& targets : to) packets.add(packets_between(origins, targets, m));
}

/// Returns the packets that node `me` sends by `digit` * `unit` nodes: those whose distance x < N from origin to target
/// has `digit` at weight `unit`. The lower digits are done: x = done + digit * unit + rest * next with done < unit, the
/// origin is me - done, the target me + digit * unit + rest * next, modulo N.
PacketSet packets_to_move(NodeId me, NodeId digit, NodeId unit, NodeId next, NodeId nodes, std::uint64_t m) {
    const NodeId least = digit * unit;                         // least x; they are least + rest * next + done
    const NodeId rests = (nodes - 1 - least) / next + 1;       // values of the rest
    const NodeId last = least + (rests - 1) * next;            // x for the last rest, with done = 0
    const NodeId done_at_last = std::min(unit, nodes - last);  // the last x are cut off at N - 1
    const NodeId whole = done_at_last == unit ? rests : rests - 1;
    const auto origins = [&](NodeId done) { return around((me + nodes - (done - 1)) % nodes, 1, done, nodes); };

    PacketSet packets;
    if (whole != 0) add_between(packets, origins(unit), around((me + least) % nodes, next, whole, nodes), m);
    if (whole != rests) add_between(packets, origins(done_at_last), around((me + last) % nodes, 1, 1, nodes), m);
    return packets;
}

/// All-to-all scatter on the complete graph.
///
/// Machine   complete graph of N nodes, any N, store-and-forward or wormhole, any k, full duplex ports, combining
/// Gives     node v holds the packets addressed to v
/// Costs     rounds ceil(log_{k+1} N); one port: work N ceil(log2 N), volume the ones in all x < N, written in binary
/// Idea      A packet travels its distance x digit by digit, in base k + 1: in the round of the weight `unit`, a packet
///           with the digit j moves j * unit nodes on; all packets with the same j share a message.
/// Source    Bruck, Ho, Kipnis, Upfal, Weathersby 1997; model.md section 10
Program alltoall_by_digits(Node& self, Port ports) {
    const NodeId nodes = self.topology().nodes();
    const NodeId base = NodeId{ports} + 1;
    for (NodeId unit = 1; unit < nodes; unit *= base) {
        for (NodeId j = 1; j <= ports && j * unit < nodes; ++j)
            co_await self.pass_to(
                (self.id() + j * unit) % nodes,
                packets_to_move(self.id(), j, unit, unit * base, nodes, self.collective().packets_each));
        for (NodeId j = 1; j <= ports && j * unit < nodes; ++j)
            co_await self.receive_from((self.id() + nodes - j * unit) % nodes);
    }
}

std::optional<std::string> misfit_alltoall_bruck(const Machine& machine, const Collective&,
                                                 const AlgorithmOptions& options) {
    return first_of({needs_complete(machine), needs_full_duplex(machine), needs_partners(machine),
                     needs_links_for_steps(machine), needs_combining(machine), needs_table(machine),
                     takes_no_options(options)});
}

Start make_alltoall_bruck(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Port ports = machine.widest();
    return {[ports](Node& self) { return alltoall_by_digits(self, ports); }, {}, true};
}

ExpectedCost expect_alltoall_bruck(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t ports = machine.widest();
    const std::uint64_t base = ports + 1;
    std::uint64_t rounds = 0;
    std::uint64_t sends = 0;  // a node's sends
    std::uint64_t volume = 0;
    for (NodeId unit = 1; unit < nodes; unit *= base, ++rounds) {
        sends += std::min(ports, (nodes - 1) / unit);
        const std::uint64_t rest = nodes % (unit * base);  // most numbers below N have the digit 1 here
        volume += nodes / (unit * base) * unit + std::min(unit, rest - std::min(rest, unit));
    }
    return {
        rounds,
        nodes * sends,
        rounds,
        volume,
        {fmt::format(
             "packets travel 0 to {} nodes; each digit of this distance, in base {}, is a round: ceil(log{} {}) = {}",
             nodes - 1, base, base, nodes, counted(rounds, "round")),
         fmt::format("{} message{} a node in all, each over one link: work {} * {} = {}", sends, sends == 1 ? "" : "s",
                     nodes, sends, nodes * sends),
         fmt::format("the largest bundle of a round has a packet for each number with the digit 1 there: volume {}",
                     counted(volume, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_alltoall_bruck() {
    return {{
        .operation = Operation::alltoall,
        .name = "bruck",
        .rule = "a packet moves 1, 2, 4, ... nodes on where its distance, written in binary, has a one",
        .needs = "complete graph, any N, SF or WH, any k, full duplex, not pairwise, combining",
        .cost = "ceil(log_{k+1} N) rounds; one port: work N L(N), volume the ones in all numbers below N, written in "
                "binary",
        .source = "Bruck, Ho, Kipnis, Upfal, Weathersby 1997; model section 10",
        .misfit = misfit_alltoall_bruck,
        .make = make_alltoall_bruck,
        .expect = expect_alltoall_bruck,
    }};
}

}  // namespace kport
