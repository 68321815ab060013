#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/derive.hpp"

namespace kport::bounds {

/// Every node hears of every other; signals have no bytes (model.md section 2).
Derivation derive_barrier(const Facts& facts) {
    Derivation found;
    found.rounds.add(fan_out(facts));
    if (facts.store_and_forward) found.rounds.add(diameter_in_rounds(facts));
    found.path_sum.add(diameter_in_hops(facts));
    found.path_sum.add(one_hop_a_round(found.rounds));
    found.packets.add({"signals have no bytes", 0, "A signal is a message without bytes.", "definition of a signal"});
    found.work.add(heard_and_hears(facts));
    return found;
}

}  // namespace kport::bounds
