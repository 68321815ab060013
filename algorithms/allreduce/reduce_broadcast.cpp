/// @file reduce_broadcast.cpp   All-reduce as a reduction to a root and a broadcast of its result (model.md section 6 (i)).
#include <algorithm>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/choice.hpp"
#include "algorithms/support/fit.hpp"

namespace kport {

namespace {

/// Returns the broadcast used in both halves.
Collective broadcast_of(const Collective& collective) {
    Collective broadcast = collective;
    broadcast.operation = Operation::broadcast;
    broadcast.rules = {};
    return broadcast;
}

const Algorithm& best_broadcast(const Machine& machine, const Collective& collective) {
    return best_algorithm(machine, broadcast_of(collective), {});
}

bool some_broadcast_runs(const Machine& machine, const Collective& collective) {
    return std::ranges::any_of(applicable(machine, broadcast_of(collective), {}),
                               [](const Algorithm* row) { return row->is_first_choice(); });
}

std::optional<std::string> misfit_allreduce_reduce_broadcast(const Machine& machine, const Collective& collective,
                                                             const AlgorithmOptions& options) {
    return first_of({takes_no_options(options), unless(some_broadcast_runs(machine, collective),
                                                       "needs a broadcast algorithm, and none runs here")});
}

Start make_allreduce_reduce_broadcast(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return best_broadcast(machine, collective).make(machine, broadcast_of(collective), {});
}

ExpectedCost expect_allreduce_reduce_broadcast(const Machine& machine, const Collective& collective,
                                               const AlgorithmOptions&) {
    return expected_cost(best_broadcast(machine, collective), machine, broadcast_of(collective), {});
}

bool folds_in_order(const Machine& machine, const Collective& collective, const AlgorithmOptions& options) {
    const Algorithm& broadcast = best_broadcast(machine, collective);
    Collective reduce = broadcast_of(collective);
    reduce.operation = Operation::reduce;
    const Algorithm* reversed = find_algorithm(Operation::reduce, broadcast.name);
    return reversed != nullptr && reversed->in_order.holds != nullptr &&
           reversed->in_order.holds(machine, reduce, options);
}

}  // namespace

std::vector<Algorithm> algorithms_in_allreduce_reduce_broadcast() {
    return {{
        .operation = Operation::allreduce,
        .name = "reduce-broadcast",
        .rule = "the best broadcast from a root reversed in time, then the same broadcast with the result",
        .needs = "wherever broadcast runs; --source is the root",
        .cost = "twice that broadcast in every quantity",
        .source = "model section 6 (i)",
        .misfit = misfit_allreduce_reduce_broadcast,
        .make = make_allreduce_reduce_broadcast,
        .expect = expect_allreduce_reduce_broadcast,
        .with_many = WithMany::own,
        .way = Way::reduce_broadcast,
        .forward = Operation::broadcast,
        .in_order = {folds_in_order, "where the reduction does"},
        .through_root = true,
    }};
}

}  // namespace kport
