#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {
namespace {

Reason one_copy_each(const Facts& facts) {
    const bool alone = facts.packets_each > 1 && !facts.machine.combining;
    const Count all = Count{facts.packets_each} * (facts.nodes - 1);
    if (alone)
        return {fmt::format("{} {} * {}",
                            facts.inwards() ? "one value of each segment from every other node:"
                                            : "one copy of each packet per other node:",
                            facts.packets_each, facts.nodes - 1),
                all, "Without combining a message holds one packet, has one receiver, and crosses at least one link.",
                "counting packets"};
    const std::string others = counted(facts.nodes - 1, "other node", "other nodes");
    if (facts.inwards())
        return {"one message from every other node", facts.nodes - 1,
                fmt::format("Each of the {} sends its contribution in at least one message, over at least one link.",
                            others),
                "Lemma 1, reversed in time"};
    return {"one copy per other node", facts.nodes - 1,
            fmt::format("Each of the {} receives a message, a message has one receiver, and crosses at least one link.",
                        others),
            "Lemma 1"};
}

}  // namespace

Derivation derive_broadcast(const Facts& facts) {
    Derivation found;
    found.rounds.add(facts.inwards() ? fan_in(facts) : fan_out(facts));
    if (facts.store_and_forward) found.rounds.add(eccentricity_in_rounds(facts));
    found.work.add(one_copy_each(facts));
    // Lemma 1 states only the eccentricity; that a round also has at least one hop is left to its reachability.
    found.path_sum.add(eccentricity_in_hops(facts));
    if (facts.packets_each > 1) add_long_broadcast(facts, found);
    add_packet_a_round(found);
    return found;
}

}  // namespace kport::bounds
