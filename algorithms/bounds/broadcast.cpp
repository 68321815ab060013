#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/derive.hpp"

namespace kport::bounds {
namespace {

Reason one_copy_each(const Facts& facts) {
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
    // Lemma 1 states the eccentricity alone; that a round has at least one hop as well is left to its reachability.
    found.path_sum.add(eccentricity_in_hops(facts));
    add_packet_a_round(found);
    return found;
}

}  // namespace kport::bounds
