/// @file there_and_back.cpp   Barrier along a tree to a root and back, on any graph.
#include "algorithms/support/there_and_back.hpp"
#include "algorithms/catalogue.hpp"

namespace kport {

std::vector<Algorithm> algorithms_in_barrier_there_and_back() {
    return {
        {
            .operation = Operation::barrier,
            .name = "tree-exchange",
            .rule = "signals go to a root along the shortest-path tree, and back when all have entered; the root and "
                    "its first child exchange",
            .needs = "any graph, SF or WH, any k; --source is the root",
            .cost = "2b-1 rounds, b those of the broadcast farthest-first with one port, 2b in half duplex; work "
                    "2(N-1), the least",
            .source = "as allreduce tree-exchange, with signals",
            .misfit = misfit_tree_exchange,
            .make = start_there_and_back<TimedTree::farthest_first, barrier_there_and_back>,
            .expect = expect_there_and_back<TimedTree::farthest_first, CarriedThere::signals>,
            .table_bytes_per_node = TimedTree::bytes_per_node,
            .knows_relays = true,
            .single_links = true,
            .through_root = true,
        },
        {
            .operation = Operation::barrier,
            .name = "euler-rda",
            .rule = "as tree-exchange, along paths of a spanning tree: recursive doubling on its preorder, to a root "
                    "and back",
            .needs = "any connected graph, WH, any k, full duplex links; --source is the root",
            .cost = "2L(N)-1 rounds on every graph, 2L(N) with half duplex ports; long paths: work and path sum are "
                    "measured",
            .source = "as allreduce euler-rda, with signals",
            .misfit = misfit_euler_rda,
            .make = start_there_and_back<TimedTree::along_euler_tour, barrier_there_and_back>,
            .expect = expect_there_and_back<TimedTree::along_euler_tour, CarriedThere::signals>,
            .table_bytes_per_node = TimedTree::bytes_per_node,
            .through_root = true,
        }};
}

}  // namespace kport
