/// @file greedy_gossip.cpp   All-to-all broadcast: in each round the messages that bring the most.
#include "algorithms/support/greedy_gossip.hpp"
#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"

namespace kport {

/// All-to-all broadcast, planned.
///
/// Machine   any graph of moderate size, store-and-forward or wormhole, any k, any duplex, pairwise or not, combining or not
/// Gives     every node holds all N packets
/// Costs     measured
/// Idea      In each round the calls that bring their receiver the most packets that it lacks, as long as ports are free; the shortest of some
///           such gossips, which differ in their choices among calls that bring about as much. Without combining the node that lacks the
///           most is served first, with the rarest packet.
/// Source    Hedetniemi, Hedetniemi, Liestman 1988 (gossiping); docs/search.md
std::vector<Algorithm> algorithms_in_allgather_greedy_gossip() {
    return with_reversal(
        gossip_row(Operation::allgather,
                   "in each round the calls that bring the most packets, as long as ports are free; the best of some "
                   "tries",
                   ", combining or not"),
        Operation::reduce_scatter);
}

}  // namespace kport
