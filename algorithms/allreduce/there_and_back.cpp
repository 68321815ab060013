/// @file there_and_back.cpp   All-reduce along a tree to a root and back (model.md section 7).
#include <memory>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/there_and_back.hpp"

namespace kport {

namespace {

using TreeOf = TimedTree (*)(const Topology&, NodeId);

ThereAndBack plan_allreduce(TreeOf tree_of, const Machine& machine, const Collective& collective) {
    return {tree_of(*machine.topology, collective.root), machine};
}

std::optional<std::string> misfit_allreduce_tree_exchange(const Machine& machine, const Collective&,
                                                          const AlgorithmOptions& options) {
    return first_of({needs_table(machine), takes_no_options(options)});
}

std::optional<std::string> misfit_allreduce_euler_rda(const Machine& machine, const Collective& collective,
                                                      const AlgorithmOptions& options) {
    return first_of(
        {needs_wh(machine), needs_full_links(machine), misfit_allreduce_tree_exchange(machine, collective, options)});
}

template <TreeOf tree_of>
Start make_allreduce_there_and_back(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto plan = std::make_shared<const ThereAndBack>(plan_allreduce(tree_of, machine, collective));
    return {
        [topology = machine.topology, plan](Node& self) { return allreduce_there_and_back(self, *plan); }, {}, true};
}

template <TreeOf tree_of>
ExpectedCost expect_allreduce_there_and_back(const Machine& machine, const Collective& collective,
                                             const AlgorithmOptions&) {
    return there_and_back_cost(plan_allreduce(tree_of, machine, collective), machine, collective, CarriedThere::values);
}

}  // namespace

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
                .misfit = misfit_allreduce_tree_exchange,
                .make = make_allreduce_there_and_back<TimedTree::farthest_first>,
                .expect = expect_allreduce_there_and_back<TimedTree::farthest_first>,
                .table_bytes_per_node = TimedTree::bytes_per_node,
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
                        "work and path sum are "
                        "measured",
                .source = "model sections 7, 10",
                .misfit = misfit_allreduce_euler_rda,
                .make = make_allreduce_there_and_back<TimedTree::along_euler_tour>,
                .expect = expect_allreduce_there_and_back<TimedTree::along_euler_tour>,
                .table_bytes_per_node = TimedTree::bytes_per_node,
                .merges = true,
                .through_root = true,
            }};
}

}  // namespace kport
