/// @file there_and_back.cpp   All-to-all broadcast along a tree to a root and back (model.md section 7),
///                             and reversed in time.
#include <algorithm>
#include <iterator>
#include <vector>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/there_and_back.hpp"

namespace kport {

namespace {

std::optional<std::string> misfit_allgather_tree_exchange(const Machine& machine, const Collective& collective,
                                                          const AlgorithmOptions& options) {
    return first_of({needs_combining(machine), misfit_tree_exchange(machine, collective, options)});
}

std::optional<std::string> misfit_allgather_euler_rda(const Machine& machine, const Collective& collective,
                                                      const AlgorithmOptions& options) {
    return first_of(
        {needs_wh(machine), needs_full_links(machine), misfit_allgather_tree_exchange(machine, collective, options)});
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_there_and_back() {
    const std::vector<Algorithm> allgathers = {
        {
            .operation = Operation::allgather,
            .name = "tree-exchange",
            .rule = "packets go to a root along the shortest-path tree, all others back; the root and its first child "
                    "exchange",
            .needs = "any graph, SF or WH, any k, combining; --source is the root",
            .cost =
                "2b-1 rounds, b those of the broadcast farthest-first with one port, 2b in half duplex; work 2(N-1)",
            .source = "model section 7",
            .misfit = misfit_allgather_tree_exchange,
            .make = start_there_and_back<TimedTree::farthest_first, allgather_there_and_back>,
            .expect = expect_there_and_back<TimedTree::farthest_first, CarriedThere::bundles>,
            .table_bytes_per_node = TimedTree::bytes_per_node,
            .knows_relays = true,
            .single_links = true,
            .through_root = true,
        },
        {
            .operation = Operation::allgather,
            .name = "euler-rda",
            .rule = "as tree-exchange, along paths of a spanning tree: recursive doubling on its preorder, to a root "
                    "and back",
            .needs = "any connected graph, WH, any k, full duplex links, combining; --source is the root",
            .cost = "2L(N)-1 rounds on every graph, 2L(N) with half duplex ports; long paths: work and path sum are "
                    "measured",
            .source = "model sections 7, 10",
            .misfit = misfit_allgather_euler_rda,
            .make = start_there_and_back<TimedTree::along_euler_tour, allgather_there_and_back>,
            .expect = expect_there_and_back<TimedTree::along_euler_tour, CarriedThere::bundles>,
            .table_bytes_per_node = TimedTree::bytes_per_node,
            .through_root = true,
        }};
    std::vector<Algorithm> rows;
    for (const Algorithm& allgather : allgathers)
        std::ranges::move(with_reversal(allgather, Operation::reduce_scatter), std::back_inserter(rows));
    return rows;
}

}  // namespace kport
