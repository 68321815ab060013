/// @file irregular.cpp   The cost of messages whose packets are not a few blocks, and of nodes that receive many
///                       messages.
///
/// Flooding: in each round every node sends its neighbours what they may lack. Odd-even: the nodes of a line exchange with
/// one neighbour and the other, in turn, what has come from beyond.
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/irregular/random_graph.hpp"
#include "bench/support/outcome.hpp"
#include "bench/support/register.hpp"
#include "emulator/engine/job.hpp"

namespace kport::bench {

namespace {

/// Each round: sends by as many ports as there are, in turn; takes in what came.
Program flood(Node& self, Round last) {
    const Port degree = self.degree();
    PacketSet held = PacketSet::range(self.id(), self.id() + 1);
    std::vector<PacketSet> known(degree);  // by port: what the neighbour has for sure
    for (Round round = 1; round <= last; ++round) {
        for (Port turn = 0; turn < self.port_limit(); ++turn) {
            const Port port = (round + turn) % degree;
            PacketSet lacking = held;
            lacking.remove(known[port]);
            if (lacking.empty()) continue;
            co_await self.send(port, lacking);
            known[port].include(lacking);
        }
        co_await self.next_round();
        while (self.has_arrival()) {
            const Arrival arrival = co_await self.receive();
            const PacketSet came = arrival.packets();
            known[arrival.port].include(came);
            held.include(came);
        }
    }
}

enum class Exchange {
    allgather,
    careless,  ///< an allgather that sends back what came, too: packets come twice
    scatter,   ///< from one end, a packet a message, the farthest first
    alltoall
};

Collective collective_of(Exchange what) {
    constexpr std::uint64_t bytes = 8;
    if (what == Exchange::scatter) return Collective::scatter(0, bytes);
    return what == Exchange::alltoall ? Collective::alltoall(bytes) : Collective::allgather(bytes);
}

/// Those of the packets that are bound for the nodes first .. end - 1.
PacketSet bound_for(NodeId first, NodeId end, const PacketSet& packets, NodeId nodes) {
    PacketSet some;
    if (first >= end) return some;
    const PacketBlock there{static_cast<std::uint32_t>(first), 1, static_cast<std::uint32_t>(end - first), 0, 1,
                            static_cast<std::uint32_t>(nodes)};
    some.add(in_both({&there, 1}, packets));
    return some;
}

/// The nodes at the two sides of a link exchange in every other round.
Program odd_even(Node& self, PacketSet to_right, PacketSet to_left, Exchange what) {
    const NodeId here = self.id();
    const NodeId nodes = self.nodes();
    for (Round round = 1; round <= 2 * nodes; ++round) {
        const bool right = (here + round) % 2 == 1;
        PacketSet& left_to_send = right ? to_right : to_left;
        const bool has_partner = right ? here + 1 < nodes : here > 0;
        if (has_partner && !left_to_send.empty()) {
            PacketSet sent = left_to_send;
            if (what == Exchange::scatter) sent = PacketBlock{left_to_send.block().columns().last()};
            left_to_send.remove(sent);
            const Port port = self.topology().port_to(here, right ? here + 1 : here - 1);
            if (what == Exchange::scatter || what == Exchange::alltoall)
                co_await self.pass(port, sent);
            else
                co_await self.send(port, sent);
        }
        co_await self.next_round();
        while (self.has_arrival()) {
            const Arrival arrival = co_await self.receive();
            const bool from_left = arrival.from < here;
            const PacketSet came = arrival.packets();
            if (what == Exchange::scatter || what == Exchange::alltoall) {
                to_right.add(bound_for(here + 1, nodes, came, nodes));
                to_left.add(bound_for(0, here, came, nodes));
                continue;
            }
            if (from_left || what == Exchange::careless) to_right.include(came);
            if (!from_left || what == Exchange::careless) to_left.include(came);
        }
    }
}

Outcome run_job(Job& job) {
    Measurement measurement;
    const Verdict verdict = run_lockstep(job, {}).verdict;
    measurement.pause();
    return measurement.outcome(verdict.metrics.transfers, job.machine.topology->nodes(), verdict.delivered);
}

Outcome flooding(NodeId nodes, PortLimit ports, bool payload) {
    Job job;
    job.machine.topology = std::make_shared<const RandomGraph>(nodes, 1);
    job.machine.ports = ports;
    const auto last = static_cast<Round>(4 * job.machine.topology->diameter());
    job.program = [last](Node& self) { return flood(self, last); };
    job.all_start = true;
    job.collective = Collective::allgather(8);
    job.payload = payload;
    return run_job(job);
}

Outcome exchanging(Exchange what, NodeId nodes, bool payload) {
    Job job;
    job.machine.topology = make_topology(fmt::format("line:{}", nodes));
    job.collective = collective_of(what);
    job.program = [what](Node& self) {
        const PacketSet own = collective_of(what).owned(self.id(), self.nodes());
        if (what == Exchange::allgather || what == Exchange::careless) return odd_even(self, own, own, what);
        return odd_even(self, bound_for(self.id() + 1, self.nodes(), own, self.nodes()),
                        bound_for(0, self.id(), own, self.nodes()), what);
    };
    job.all_start = true;
    job.payload = payload;
    return run_job(job);
}

std::vector<Contender> contenders() {
    std::vector<Contender> all;
    for (const bool payload : {false, true}) {
        const std::string_view bytes = payload ? "8_bytes" : "no_bytes";
        for (const NodeId nodes : tiny() ? std::vector<NodeId>{12} : std::vector<NodeId>{25, 50, 100, 400}) {
            all.push_back({fmt::format("Irregular/flooding_all_port/{}/random:{}", bytes, nodes),
                           [=] { return flooding(nodes, PortLimit::all(), payload); }});
            all.push_back({fmt::format("Irregular/flooding_1_port/{}/random:{}", bytes, nodes),
                           [=] { return flooding(nodes, PortLimit(1), payload); }});
        }
        for (const NodeId nodes : tiny() ? std::vector<NodeId>{12} : std::vector<NodeId>{125, 250, 500})
            for (const auto& [what, title] :
                 {std::pair(Exchange::allgather, "allgather"), std::pair(Exchange::careless, "careless_allgather"),
                  std::pair(Exchange::scatter, "scatter"), std::pair(Exchange::alltoall, "alltoall")})
                all.push_back({fmt::format("Irregular/odd_even_{}/{}/line:{}", title, bytes, nodes),
                               [what, nodes, payload] { return exchanging(what, nodes, payload); }});
    }
    return all;
}

[[maybe_unused]] const bool registered = register_contenders(contenders());

}  // namespace

}  // namespace kport::bench
