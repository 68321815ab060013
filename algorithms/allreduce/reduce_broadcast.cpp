/// @file reduce_broadcast.cpp   All-reduce as a reduction to a root and a broadcast of its result (model.md section 6 (i)).
#include <algorithm>

#include <fmt/format.h>

#include "algorithms/allreduce/allreduce.hpp"
#include "algorithms/choice.hpp"
#include "algorithms/support/fit.hpp"

namespace kport {

namespace {

/// The broadcast of both halves.
Collective broadcast_of(const Collective& request) {
    return {Operation::broadcast, request.root, request.packet_bytes};
}

const Algorithm& best_broadcast(const Machine& machine, const Collective& request) {
    return best_algorithm(machine, broadcast_of(request), {});
}

bool some_broadcast_runs(const Machine& machine, const Collective& request) {
    return std::ranges::any_of(applicable(machine, broadcast_of(request), {}),
                               [](const Algorithm* row) { return row->by_default; });
}

std::optional<std::string> misfit_allreduce_reduce_broadcast(const Machine& machine, const Collective& request,
                                                             const AlgorithmOptions& options) {
    return first_of({takes_no_options(options),
                     unless(some_broadcast_runs(machine, request), "needs a broadcast algorithm, and none runs here")});
}

Start make_allreduce_reduce_broadcast(const Machine& machine, const Collective& request, const AlgorithmOptions&) {
    return best_broadcast(machine, request).make(machine, broadcast_of(request), {});
}

ExpectedCost expect_allreduce_reduce_broadcast(const Machine& machine, const Collective& request,
                                               const AlgorithmOptions&) {
    const Algorithm& broadcast = best_broadcast(machine, request);
    ExpectedCost cost = broadcast.expect(machine, broadcast_of(request), {});
    cost.derivation.insert(cost.derivation.begin(),
                           fmt::format("a broadcast from node {0} ({1}) reversed in time folds everything at node {0}:",
                                       machine.topology->name(request.root), broadcast.name));
    cost.derivation.emplace_back("the same broadcast then sends the result: twice the broadcast's cost");
    const auto twice = [](std::optional<std::uint64_t>& value) {
        if (value) *value *= 2;
    };
    twice(cost.rounds);
    twice(cost.work);
    twice(cost.path_sum);
    twice(cost.volume);
    if (cost.latency) *cost.latency *= 2;
    return cost;
}

bool folds_in_order(const Machine& machine, const Collective& request, const AlgorithmOptions& options) {
    const Algorithm& broadcast = best_broadcast(machine, request);
    Collective reduce = broadcast_of(request);
    reduce.operation = Operation::reduce;
    for (const Algorithm& row : catalogue())
        if (row.operation == Operation::reduce && row.name == broadcast.name)
            return row.folds_in_order != nullptr && row.folds_in_order(machine, reduce, options);
    return false;
}

}  // namespace

Algorithm allreduce_by_reduce_and_broadcast() {
    Algorithm row{Operation::allreduce,
                  "reduce-broadcast",
                  "the best broadcast from a root reversed in time, then the same broadcast with the result",
                  "wherever broadcast runs; --source is the root",
                  "model section 6 (i)",
                  "",
                  misfit_allreduce_reduce_broadcast,
                  make_allreduce_reduce_broadcast,
                  expect_allreduce_reduce_broadcast};
    row.forward = Operation::broadcast;
    row.way = Way::reduce_broadcast;
    row.folds_in_order = folds_in_order;
    return row;
}

}  // namespace kport
