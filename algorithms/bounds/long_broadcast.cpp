#include "algorithms/bounds/arguments.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "algorithms/bounds/cuts.hpp"

namespace kport::bounds {
namespace {

/// Some packet leaves the source for the first time in round ceil(M / k) or later, and needs as long as a single one.
Reason last_departure(const Facts& facts) {
    const Count ports = facts.root_ports;
    const Count last = ceil_div(facts.packets_each, ports);
    Count alone = ceil_log(facts.ports + 1, facts.nodes);
    if (facts.store_and_forward) alone = std::max<Count>(alone, facts.eccentricity);
    return {
        fmt::format("last departure: ceil({} / {}) - 1 + {}", facts.packets_each, ports, alone), last - 1 + alone,
        fmt::format("{}node {} sends at most {} a round, so one of the {} first leaves it in round {} or later, and "
                    "alone it takes {}.",
                    facts.inwards() ? "Reversed in time: " : "", facts.node(facts.root),
                    counted(ports, "packet", "packets"), facts.packets_each, last, counted(alone, "round", "rounds")),
        "Bar-Noy, Kipnis 1994"};
}

/// Returns the rounds that node v needs through its ports: no packet before round dist(s, v), then at most k a round.
Count needed_by(const Facts& facts, NodeId v) {
    const Count rounds = ceil_div(facts.packets_each, facts.ports_back(v));
    return facts.store_and_forward ? rounds - 1 + facts.graph.distance(facts.root, v) : rounds;
}

/// Returns the node that needs the longest, among those examined.
NodeId slowest_node(const Facts& facts) {
    NodeId slowest = facts.root == 0 ? 1 : 0;
    if (facts.nodes > searched_nodes_max) return slowest;
    for (NodeId v = 0; v < facts.nodes; ++v)
        if (v != facts.root && needed_by(facts, v) > needed_by(facts, slowest)) slowest = v;
    return slowest;
}

Reason slowest_receiver(const Facts& facts) {
    const NodeId v = slowest_node(facts);
    const std::uint64_t ports = facts.ports_back(v);
    const bool far = facts.store_and_forward;
    return {
        fmt::format("slowest {}: ceil({} / {}){} at node {}", facts.inwards() ? "sender" : "receiver",
                    facts.packets_each, ports, far ? fmt::format(" - 1 + {}", facts.graph.distance(facts.root, v)) : "",
                    facts.node(v)),
        needed_by(facts, v),
        fmt::format("{}node {} receives {} packets, {} a round{}.", facts.inwards() ? "Reversed in time: " : "",
                    facts.node(v), facts.packets_each, ports,
                    far ? fmt::format(", the first in round {} or later", facts.graph.distance(facts.root, v)) : ""),
        "model section 13.1"};
}

/// Returns how many receipts of a round are of use: the root needs none.
Count useful_receipts(const Facts& facts) {
    if (facts.is_even()) return ports_of_all(facts) - facts.root_ports;
    if (facts.nodes > searched_nodes_max) return facts.graph.channels();
    Count sum = 0;
    for (NodeId v = 0; v < facts.nodes; ++v) sum += v == facts.root ? 0 : facts.ports_back(v);
    return sum;
}

/// In round t at most (K+1)^(t-1) nodes have anything to send, and sends beyond what the others can receive are
/// useless.
Reason counting(const Facts& facts) {
    const Count wanted = Count{facts.packets_each} * (facts.nodes - 1);
    const Count useful = useful_receipts(facts);
    Count rounds = 0;
    Count received = 0;
    for (Count sends = facts.ports; received < wanted; ++rounds) {
        if (sends >= useful) {
            rounds += ceil_div(wanted - received, useful);
            break;
        }
        received += sends;
        sends *= facts.ports + 1;
    }
    return {fmt::format("counting: {} receipts, at most {} a round", wanted, useful), rounds,
            fmt::format("In round t at most {} nodes have anything, each for {}, and a round has at most {} receipts "
                        "that are of use.",
                        fmt::format("{}^(t-1)", facts.ports + 1), counted(facts.ports, "port", "ports"), useful),
            "model section 13.1"};
}

}  // namespace

void add_long_broadcast(const Facts& facts, Derivation& found) {
    found.bundles = facts.machine.combining;
    found.packets.add(last_departure(facts));
    found.packets.add(slowest_receiver(facts));
    found.packets.add(counting(facts));
    if (auto flow = flow_over_time(facts)) found.packets.add(*std::move(flow));
    if (auto cut = cut_vertex(facts)) found.packets.add(*std::move(cut));
    if (facts.machine.combining) return;
    found.rounds.add(one_packet_a_message(found.packets));
    found.path_sum.add(one_hop_a_round(found.rounds));
}

}  // namespace kport::bounds
