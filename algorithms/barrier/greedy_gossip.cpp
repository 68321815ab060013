/// @file greedy_gossip.cpp   Barrier: in each round the signals that tell the most.
#include "algorithms/support/greedy_gossip.hpp"
#include "algorithms/catalogue.hpp"

namespace kport {

/// Barrier, planned.
///
/// Machine   any graph of moderate size, store-and-forward or wormhole, any k, any duplex, pairwise or not
/// Gives     every node knows that all have entered
/// Costs     measured
/// Idea      The calls of allgather greedy-gossip; each tells all that its sender knows.
/// Source    Hedetniemi, Hedetniemi, Liestman 1988 (gossiping); docs/search.md
std::vector<Algorithm> algorithms_in_barrier_greedy_gossip() {
    return {gossip_row(Operation::barrier,
                       "the calls of allgather greedy-gossip; each signal tells all that its sender knows", "")};
}

}  // namespace kport
