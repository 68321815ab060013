/// @file greedy_gossip.cpp   Scan: in each round the values that bring the most.
#include "algorithms/support/greedy_gossip.hpp"
#include "algorithms/catalogue.hpp"

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
    return {{
        .operation = Operation::scan,
        .name = "greedy-gossip",
        .rule = "in each round the runs of contributions that bring the most of those before a node, as long as ports "
                "are free; the best of some tries",
        .needs = "any graph of moderate size, SF or WH, any k, any duplex, combining",
        .cost = "measured",
        .source = "Hedetniemi, Hedetniemi, Liestman 1988 (gossiping)",
        .misfit = misfit_gossip,
        .make = make_gossip,
        .expect = expect_gossip,
        .plan = size_of_gossip,
        .with_many = WithMany::own,
        .single_links = true,
        .in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"},
        .in_runs = true,
    }};
}

}  // namespace kport
