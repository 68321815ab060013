/// @file greedy_gossip.cpp   All-to-all scatter along the calls of a greedy gossip.
#include "algorithms/support/greedy_gossip.hpp"
#include "algorithms/catalogue.hpp"

namespace kport {

/// All-to-all scatter, planned.
///
/// Machine   any graph of moderate size, store-and-forward or wormhole, any k, any duplex, pairwise or not, combining
/// Gives     node v holds the packets addressed to v
/// Costs     measured
/// Idea      A packet takes the way by which its origin's news first reach its target in the gossip of allgather greedy-gossip.
/// Source    Hedetniemi, Hedetniemi, Liestman 1988 (gossiping); docs/search.md
std::vector<Algorithm> algorithms_in_alltoall_greedy_gossip() {
    return {gossip_row(
        Operation::alltoall,
        "along the calls of allgather greedy-gossip: a packet takes the way of its origin's news to its target",
        ", combining")};
}

}  // namespace kport
