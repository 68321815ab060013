#include <algorithm>

#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {
namespace {

/// The node whose packets take longest through its ports, in or out.
struct BusiestNode {
    NodeId node = 0;
    Count packets = 0;
    Count ports = 1;
    Count rounds = 0;
};

BusiestNode busiest_node(const Facts& facts) {
    BusiestNode busiest;
    for (NodeId v = 0; v < facts.nodes; ++v) {
        const Count packets = Count{facts.packets_each} * facts.neighbours->of(v).size();
        if (packets == 0) continue;
        const Count ports = std::min(facts.machine.sends_of(v), facts.machine.receives_of(v));
        if (const Count rounds = ceil_div(packets, ports); rounds > busiest.rounds)
            busiest = {v, packets, ports, rounds};
    }
    return busiest;
}

/// The most messages that any node may send in a round, or receive, whichever are fewer.
Port most_ports(const Facts& facts) {
    Port sends = 0;
    Port receives = 0;
    for (NodeId v = 0; v < facts.nodes; ++v) {
        sends = std::max(sends, facts.machine.sends_of(v));
        receives = std::max(receives, facts.machine.receives_of(v));
    }
    return std::min(sends, receives);
}

}  // namespace

/// Each node lacks packets of all its neighbours, of which each alone owns its own (model.md section 2).
Derivation derive_neighbours(const Facts& facts) {
    const std::uint64_t degree = facts.neighbours->largest();
    const Count pairs = facts.neighbours->pairs();
    const std::uint64_t ports = most_ports(facts);
    Derivation found;
    found.bundles = facts.machine.combining;
    const BusiestNode busiest = busiest_node(facts);
    found.packets.add({fmt::format("packets for node {}: {} of {}", facts.node(busiest.node), busiest.packets,
                                   counted(busiest.ports, "port", "ports")),
                       busiest.rounds,
                       "They come from its neighbours, and in a round each port passes at most the round's largest "
                       "bundle.",
                       "counting packets"});
    if (const Count sends = ports_of_all(facts); sends > 0)
        found.packets.add({fmt::format("ceil({} / {}): packets over sends", pairs * facts.packets_each, sends),
                           ceil_div(pairs * facts.packets_each, sends),
                           fmt::format("A round has at most {}, each of at most its largest bundle.",
                                       counted(sends, "send", "sends")),
                           "total traffic"});
    if (!facts.machine.combining) found.rounds.add(one_packet_a_message(found.packets));
    found.rounds.add(
        {fmt::format("fan-in: ceil(log{} {})", ports + 1, degree + 1), ceil_log(ports + 1, degree + 1),
         fmt::format("A node lacks what {} alone own; going back a round, the nodes that can still reach it "
                     "in time grow at most {}-fold.",
                     counted(degree, "node", "nodes"), ports + 1),
         "Lemma 1"});
    found.work.add({facts.machine.combining
                        ? "a message for every node"
                        : fmt::format("{}{}: a message for each packet and neighbour", times_each(facts), pairs),
                    facts.machine.combining ? Count{facts.nodes} : pairs * facts.packets_each,
                    "Each node gets packets of its neighbours, and a message crosses at least one link.",
                    "counting receivers"});
    if (pairs == Count{facts.nodes} * (facts.nodes - 1)) found.work.add(heard_and_hears(facts));
    found.path_sum.add(one_hop_a_round(found.rounds));
    add_packet_a_round(found);
    return found;
}

}  // namespace kport::bounds
