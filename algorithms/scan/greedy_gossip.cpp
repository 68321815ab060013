/// @file greedy_gossip.cpp   Scan: in each round the values that bring the most.
#include "algorithms/support/greedy_gossip.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/node_values.hpp"

namespace kport {

/// Scan, planned.
///
/// Machine   any graph of moderate size, store-and-forward or wormhole, any k, any duplex, pairwise or not, combining
/// Gives     node v has the fold of contributions 0 .. v
/// Costs     measured
/// Idea      Runs of consecutive contributions, those before its own first; a run that came is passed on whole. The shortest of some such
///           schedules.
/// Source    Hedetniemi, Hedetniemi, Liestman 1988 (gossiping); docs/search.md
std::vector<Algorithm> algorithms_in_scan_greedy_gossip() {
    Algorithm row = gossip_row(
        Operation::scan,
        "in each round the runs of contributions that bring the most of those before a node, as long as ports "
        "are free; the best of some tries",
        ", combining");
    row.in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"};
    row.in_runs = true;
    return with_exclusive(row);
}

}  // namespace kport
