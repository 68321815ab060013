/// @file there_and_back.cpp   All-reduce along a tree to a root and back (model.md section 7).
#include "algorithms/support/there_and_back.hpp"
#include "algorithms/catalogue.hpp"

namespace kport {

std::vector<Algorithm> algorithms_in_allreduce_there_and_back() {
    return {{
                .operation = Operation::allreduce,
                .name = "tree-exchange",
                .rule = "partial sums go to a root along the shortest-path tree, the result back; the root and its "
                        "first child exchange",
                .needs = "any graph, SF or WH, any k; --source is the root",
                .cost = "2b-1 rounds, b those of the broadcast farthest-first with one port, 2b in half duplex; work "
                        "2(N-1), volume as rounds",
                .source = "model section 7",
                .misfit = misfit_tree_exchange,
                .make = start_there_and_back<TimedTree::farthest_first, allreduce_there_and_back>,
                .expect = expect_there_and_back<TimedTree::farthest_first, CarriedThere::values>,
                .table_bytes_per_node = TimedTree::bytes_per_node,
                .knows_relays = true,
                .single_links = true,
                .merges = true,
                .through_root = true,
            },
            {
                .operation = Operation::allreduce,
                .name = "euler-rda",
                .rule = "as tree-exchange, along paths of a spanning tree: recursive doubling on its preorder, to a "
                        "root and back",
                .needs = "any connected graph, WH, any k, full duplex links; --source is the root",
                .cost = "2L(N)-1 rounds on every graph, 2L(N) with half duplex ports; volume as rounds; long paths: "
                        "work and path sum are measured",
                .source = "model sections 7, 10",
                .misfit = misfit_euler_rda,
                .make = start_there_and_back<TimedTree::along_euler_tour, allreduce_there_and_back>,
                .expect = expect_there_and_back<TimedTree::along_euler_tour, CarriedThere::values>,
                .table_bytes_per_node = TimedTree::bytes_per_node,
                .merges = true,
                .through_root = true,
            }};
}

}  // namespace kport
