#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {
namespace {

/// Every contribution must reach the far end of the machine, and a partial result of a segment is never larger than one
/// packet. `packets`, `rounds`: arguments on the volume in values, and on the rounds.
Derivation of_values(const Facts& facts, std::vector<Reason> packets, std::vector<Reason> rounds) {
    Derivation found;
    found.bundles = facts.machine.combining && facts.packets_each > 1;
    found.packets.add(std::move(packets));
    if (!facts.machine.combining) found.rounds.add(one_packet_a_message(found.packets));
    found.rounds.add(fan_out(facts));
    found.rounds.add(std::move(rounds));
    if (facts.store_and_forward) found.rounds.add(diameter_in_rounds(facts));
    found.path_sum.add(diameter_in_hops(facts));
    found.path_sum.add(one_hop_a_round(found.rounds));
    add_packet_a_round(found);
    return found;
}

/// Each segment takes 2 (N-1) values, in an order in which they could be sent one by one (heard_and_hears()), and a
/// round moves at most as many as there are ports.
Reason values_through_all_ports(const Facts& facts) {
    const Count values = 2 * Count{facts.packets_each} * (facts.nodes - 1);
    const Count ports = ports_of_all(facts);
    return {fmt::format("ceil({} / {}): 2 * {} values of each segment over the ports of all", values, ports,
                        facts.nodes - 1),
            ceil_div(values, ports),
            fmt::format("Each of the {} takes {} values: before one node knows the total all others have sent, after "
                        "that each of them receives. A round has at most {} sends, each of at most its largest bundle.",
                        counted(facts.packets_each, "segment", "segments"), 2 * (facts.nodes - 1), ports),
            "Patarasu, Yuan 2009; model section 13.1"};
}

/// The last node's result of each segment contains the contribution of the node farthest from it. At least one value a
/// segment must bring it, a message holds one of them, and the first arrives after as many rounds as it has links to
/// cross.
Reason slowest_receiver_of_values(const Facts& facts) {
    const NodeId last = facts.nodes - 1;
    const Count ports = facts.machine.receives_of(last);
    const Count receipts = ceil_div(facts.packets_each, ports);
    const Hops far = facts.store_and_forward ? facts.graph.eccentricity(last) : 1;
    const std::string receives =
        fmt::format("The last node must receive a value of each of the {}, and has {}.",
                    counted(facts.packets_each, "segment", "segments"), counted(ports, "port", "ports"));
    if (far <= 1)
        return {fmt::format("ceil({} / {}): a value of each segment comes to node {}", facts.packets_each, ports,
                            facts.node(last)),
                receipts, receives, "counting values"};
    return {fmt::format("ceil({} / {}) - 1 + {}: values of each segment come to node {} from afar", facts.packets_each,
                        ports, far, facts.node(last)),
            receipts - 1 + far,
            fmt::format("{} They hold what a node {} away contributes: the first comes in round {} or later.", receives,
                        counted(far, "link", "links"), far),
            "counting values"};
}

}  // namespace

Derivation derive_allreduce(const Facts& facts) {
    const bool several = facts.packets_each > 1;
    Derivation found = of_values(facts, several ? std::vector{values_through_all_ports(facts)} : std::vector<Reason>{},
                                 odd_one_out(facts));
    Reason work = heard_and_hears(facts);
    if (several && !facts.machine.combining) {
        work.name += fmt::format(", for each of {} segments", facts.packets_each);
        work.value *= facts.packets_each;
    }
    found.work.add(std::move(work));
    return found;
}

/// The higher of two nodes depends on the lower, so the diameter is a bound here, too. The contribution of node 0 must
/// reach every node.
Derivation derive_scan(const Facts& facts) {
    Derivation found = of_values(
        facts, facts.packets_each > 1 ? std::vector{slowest_receiver_of_values(facts)} : std::vector<Reason>{}, {});
    const bool alone = facts.packets_each > 1 && !facts.machine.combining;
    found.work.add({(alone ? times_each(facts) : "") + "one message for every node but the first",
                    (alone ? facts.packets_each : 1) * Count{facts.nodes - 1},
                    fmt::format("Each of the nodes 1 .. {} receives a message{}, a message has one receiver, and "
                                "crosses at least one link.",
                                facts.nodes - 1, alone ? " for each segment" : ""),
                    "counting receivers"});
    return found;
}

}  // namespace kport::bounds
