#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {
namespace {

bool reversed(const Facts& facts) { return facts.inwards(); }

Reason one_message_each(const Facts& facts) {
    const std::string others = counted(facts.nodes - 1, "other node", "other nodes");
    if (reversed(facts))
        return {"one message from every other node", facts.nodes - 1,
                fmt::format("Each of the {} sends its packet in at least one message, over at least one link.", others),
                "Lemma 7, reversed in time"};
    return {"one message per other node", facts.nodes - 1,
            fmt::format("Each of the {} receives a message, a message has one receiver, and crosses at least one link.",
                        others),
            "Lemma 7"};
}

Reason every_packet_alone(const Facts& facts) {
    return {fmt::format("{}sum of distances {} node {}", times_each(facts), reversed(facts) ? "to" : "from",
                        facts.node(facts.root)),
            facts.packets_each * distances_from(facts, facts.root),
            "Without combining every packet travels in messages of its own, over at least the distance.",
            "Lemma 7, without combining"};
}

Reason spread(const Facts& facts) { return reversed(facts) ? fan_in(facts) : fan_out(facts); }

Derivation combining(const Facts& facts) {
    Derivation found;
    found.bundles = true;
    found.rounds.add(spread(facts));
    if (facts.store_and_forward) found.rounds.add(eccentricity_in_rounds(facts));
    found.work.add(one_message_each(facts));
    found.path_sum.add(eccentricity_in_hops(facts));
    found.packets.add(data_through_ports(facts, facts.root));
    add_packet_a_round(found);
    return found;
}

Derivation single_packets(const Facts& facts) {
    Derivation found;
    found.packets.add(data_through_ports(facts, facts.root));
    found.rounds.add(one_packet_a_message(found.packets));
    found.rounds.add(spread(facts));
    if (facts.store_and_forward) found.rounds.add(eccentricity_in_rounds(facts));
    add_packet_a_round(found);
    found.work.add(every_packet_alone(facts));
    found.path_sum.add(eccentricity_in_hops(facts));
    found.path_sum.add(one_hop_a_round(found.rounds));
    return found;
}

}  // namespace

Derivation derive_scatter(const Facts& facts) {
    return facts.machine.combining ? combining(facts) : single_packets(facts);
}

}  // namespace kport::bounds
