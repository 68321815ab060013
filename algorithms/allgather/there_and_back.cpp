/// @file there_and_back.cpp   All-to-all broadcast along a tree to a root and back (model.md section 7),
///                             and reversed in time.
#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/reversal.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/there_and_back.hpp"

namespace kport {

namespace {

using TreeOf = TimedTree (*)(const Topology&, NodeId);

ThereAndBack plan_allgather(TreeOf tree_of, const Machine& machine, const Collective& collective) {
    return {tree_of(*machine.topology, collective.root), machine};
}

std::optional<std::string> misfit_allgather_tree_exchange(const Machine& machine, const Collective&,
                                                          const AlgorithmOptions& options) {
    return first_of({needs_combining(machine), needs_table(machine), takes_no_options(options)});
}

std::optional<std::string> misfit_allgather_euler_rda(const Machine& machine, const Collective& collective,
                                                      const AlgorithmOptions& options) {
    return first_of(
        {needs_wh(machine), needs_full_links(machine), misfit_allgather_tree_exchange(machine, collective, options)});
}

template <TreeOf tree_of>
Start make_allgather_there_and_back(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto plan = std::make_shared<const ThereAndBack>(plan_allgather(tree_of, machine, collective));
    return {
        [topology = machine.topology, plan](Node& self) { return allgather_there_and_back(self, *plan); }, {}, true};
}

template <TreeOf tree_of>
ExpectedCost expect_allgather_there_and_back(const Machine& machine, const Collective& collective,
                                             const AlgorithmOptions&) {
    return there_and_back_cost(plan_allgather(tree_of, machine, collective), machine, collective,
                               CarriedThere::bundles);
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
            .make = make_allgather_there_and_back<TimedTree::farthest_first>,
            .expect = expect_allgather_there_and_back<TimedTree::farthest_first>,
            .table_bytes_per_node = TimedTree::bytes_per_node,
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
            .make = make_allgather_there_and_back<TimedTree::along_euler_tour>,
            .expect = expect_allgather_there_and_back<TimedTree::along_euler_tour>,
            .table_bytes_per_node = TimedTree::bytes_per_node,
            .through_root = true,
        }};
    std::vector<Algorithm> rows;
    for (const Algorithm& allgather : allgathers)
        std::ranges::move(with_reversal(allgather, Operation::reduce_scatter), std::back_inserter(rows));
    return rows;
}

}  // namespace kport
