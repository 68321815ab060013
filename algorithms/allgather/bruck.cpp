/// @file bruck.cpp   All-to-all broadcast on the complete graph by Bruck's algorithm (model.md section 10, item 5).
#include <algorithm>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"

namespace kport {

namespace {

/// All-to-all broadcast on the complete graph.
///
/// Machine   complete graph of N nodes, any N, store-and-forward or wormhole, any k, full duplex ports, combining
/// Gives     every node holds all N packets
/// Costs     rounds ceil(log_{k+1} N); one port: work N ceil(log2 N), volume N - 1 packets
/// Idea      A node holds the packets of itself and the next nodes, modulo N, `block` of them. It sends the packets to the
///           node `block` numbers before it, which then holds twice as many; with k ports to k nodes, one block apart.
/// Source    Bruck, Ho, Kipnis, Upfal, Weathersby 1997; model.md section 10
Program allgather_by_doubling(Node& self, Port ports) {
    const NodeId nodes = self.topology().nodes();
    const NodeId me = self.id();
    const std::uint64_t m = self.collective().packets_each;
    for (NodeId block = 1; block < nodes; block *= NodeId{ports} + 1) {
        for (NodeId j = 1; j <= ports && j * block < nodes; ++j) {
            PacketSet packets;
            for (const Progression& part : around(me, 1, std::min(block, nodes - j * block), nodes))
                packets.add(packets_of(part, m));
            co_await self.send_to((me + nodes - j * block) % nodes, packets);
        }
        for (NodeId j = 1; j <= ports && j * block < nodes; ++j) co_await self.receive_from((me + j * block) % nodes);
    }
}

std::optional<std::string> misfit_allgather_bruck(const Machine& machine, const Collective&,
                                                  const AlgorithmOptions& options) {
    return first_of({needs_complete(machine), needs_full_duplex(machine), needs_partners(machine),
                     needs_links_for_steps(machine), needs_combining(machine), needs_table(machine),
                     takes_no_options(options)});
}

Start make_allgather_bruck(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Port ports = machine.widest();
    return {[ports](Node& self) { return allgather_by_doubling(self, ports); }, {}, true};
}

ExpectedCost expect_allgather_bruck(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t ports = machine.widest();
    std::uint64_t rounds = 0;
    std::uint64_t sends = 0;  // of a node
    std::uint64_t volume = 0;
    for (NodeId block = 1; block < nodes; block *= ports + 1, ++rounds) {
        sends += std::min(ports, (nodes - 1) / block);
        volume += std::min(block, nodes - block);
    }
    return {rounds,
            nodes * sends,
            rounds,
            volume,
            {fmt::format("each round multiplies a node's packets by up to {}: ceil(log{} {}) = {} rounds", ports + 1,
                         ports + 1, nodes, rounds),
             fmt::format("{} message{} a node in all, each over one link: work {} * {} = {}", sends,
                         sends == 1 ? "" : "s", nodes, sends, nodes * sends),
             fmt::format("the bundles grow by a factor of {}, the last has the remaining packets: volume {} packets",
                         ports + 1, volume)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_bruck() {
    return {{
        .operation = Operation::allgather,
        .name = "bruck",
        .rule = "each node sends all its packets to the node 1, 2, 4, ... numbers before it",
        .needs = "complete graph, any N, SF or WH, any k, full duplex, not pairwise, combining",
        .cost = "ceil(log_{k+1} N) rounds; one port: work N L(N), volume N-1 packets",
        .source = "Bruck, Ho, Kipnis, Upfal, Weathersby 1997; model section 10",
        .misfit = misfit_allgather_bruck,
        .make = make_allgather_bruck,
        .expect = expect_allgather_bruck,
    }};
}

}  // namespace kport
