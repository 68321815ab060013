/// @file greedy_gossip.cpp   All-reduce: in each round the values that bring the most.
#include "algorithms/support/greedy_gossip.hpp"
#include "algorithms/catalogue.hpp"

namespace kport {

/// All-reduce, planned.
///
/// Machine   any graph of moderate size, store-and-forward or wormhole, any k, any duplex, pairwise or not; for several segments combining
/// Gives     every node has the fold of all contributions
/// Costs     measured
/// Idea      A message folds the values that its sender holds of which its receiver has no contribution; who has all sends the result. The
///           shortest of some such schedules.
/// Source    Hedetniemi, Hedetniemi, Liestman 1988 (gossiping); docs/search.md
std::vector<Algorithm> algorithms_in_allreduce_greedy_gossip() {
    Algorithm row =
        gossip_row(Operation::allreduce,
                   "in each round the values that bring the most contributions, as long as ports are free; who has all "
                   "sends the result; the best of some tries",
                   ", combining for several segments");
    row.merges = true;
    row.agrees = [](const Topology&) -> std::optional<Agrees> { return std::nullopt; };
    return {row};
}

}  // namespace kport
