#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/derive.hpp"

namespace kport::bounds {
namespace {

/// Every contribution must reach the far end of the machine, and a partial result is never larger than one packet.
Derivation one_packet_messages(const Facts& facts) {
    Derivation found;
    found.rounds.add(fan_out(facts));
    if (facts.store_and_forward) found.rounds.add(diameter_in_rounds(facts));
    found.path_sum.add(diameter_in_hops(facts));
    found.path_sum.add(one_hop_a_round(found.rounds));
    add_packet_a_round(found);
    return found;
}

}  // namespace

Derivation derive_allreduce(const Facts& facts) {
    Derivation found = one_packet_messages(facts);
    found.work.add(heard_and_hears(facts));
    return found;
}

/// Of two nodes the higher depends on the lower: so the diameter is a bound here as well. The contribution of node 0 must
/// reach every node.
Derivation derive_scan(const Facts& facts) {
    Derivation found = one_packet_messages(facts);
    found.work.add({"one message for every node but the first", facts.nodes - 1,
                    fmt::format("Each of the nodes 1 .. {} receives a message, a message has one receiver, and crosses "
                                "at least one link.",
                                facts.nodes - 1),
                    "counting receivers"});
    return found;
}

}  // namespace kport::bounds
