/// @file there_and_back.cpp   Barrier along a tree to a root and back, on any graph.
#include <memory>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/there_and_back.hpp"

namespace kport {

namespace {

using TreeOfBarrier = TimedTree (*)(const Topology&, NodeId);

ThereAndBack plan_barrier(TreeOfBarrier tree_of, const Machine& machine, const Collective& collective) {
    return {tree_of(*machine.topology, collective.root), machine};
}

std::optional<std::string> misfit_barrier_tree_exchange(const Machine& machine, const Collective&,
                                                        const AlgorithmOptions& options) {
    return first_of({needs_table(machine), takes_no_options(options)});
}

std::optional<std::string> misfit_barrier_euler_rda(const Machine& machine, const Collective& collective,
                                                    const AlgorithmOptions& options) {
    return first_of(
        {needs_wh(machine), needs_full_links(machine), misfit_barrier_tree_exchange(machine, collective, options)});
}

template <TreeOfBarrier tree_of>
Start make_barrier_there_and_back(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto plan = std::make_shared<const ThereAndBack>(plan_barrier(tree_of, machine, collective));
    return {[topology = machine.topology, plan](Node& self) { return barrier_there_and_back(self, *plan); }, {}, true};
}

template <TreeOfBarrier tree_of>
ExpectedCost expect_barrier_there_and_back(const Machine& machine, const Collective& collective,
                                           const AlgorithmOptions&) {
    return there_and_back_cost(plan_barrier(tree_of, machine, collective), machine, collective, CarriedThere::signals);
}

}  // namespace

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
            .misfit = misfit_barrier_tree_exchange,
            .make = make_barrier_there_and_back<TimedTree::farthest_first>,
            .expect = expect_barrier_there_and_back<TimedTree::farthest_first>,
            .table_bytes_per_node = TimedTree::bytes_per_node,
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
            .misfit = misfit_barrier_euler_rda,
            .make = make_barrier_there_and_back<TimedTree::along_euler_tour>,
            .expect = expect_barrier_there_and_back<TimedTree::along_euler_tour>,
            .table_bytes_per_node = TimedTree::bytes_per_node,
            .through_root = true,
        }};
}

}  // namespace kport
