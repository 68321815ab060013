#include "algorithms/bounds/bounds.hpp"

#include <algorithm>

#include "algorithms/bounds/derive.hpp"
#include "algorithms/bounds/facts.hpp"
#include "algorithms/bounds/judge.hpp"
#include "emulator/base/error.hpp"

namespace kport {
namespace {

/// N = 1: the operation is done before it begins.
Bounds nothing_moves() {
    const Bound zero{
        {{"one node: nothing moves", 0, "There is no other node.", "definition"}}, Reachable::yes, "nothing moves"};
    Bounds bounds;
    std::ranges::fill(bounds, zero);
    return bounds;
}

bounds::Derivation derive(const bounds::Facts& facts) {
    switch (facts.operation) {
        case Operation::broadcast:
        case Operation::reduce: return bounds::derive_broadcast(facts);
        case Operation::scatter:
        case Operation::gather: return bounds::derive_scatter(facts);
        case Operation::allreduce: return bounds::derive_allreduce(facts);
        case Operation::scan: return bounds::derive_scan(facts);
        case Operation::allgather: return bounds::derive_allgather(facts);
        case Operation::alltoall: return bounds::derive_alltoall(facts);
        case Operation::none: throw RequestError("no operation: where nothing is promised there are no lower bounds");
    }
    invariant(false, "an operation without bounds");
    return {};
}

}  // namespace

Bounds lower_bounds(const Machine& machine, const Request& request) {
    (void)name(request.operation);  // one that there is not is refused
    const bounds::Facts facts = bounds::facts_of(machine, request);
    if (facts.nodes == 1) return nothing_moves();
    const bounds::Derivation found = derive(facts);
    return bounds::publish(facts, found, bounds::knowledge_of(facts, found));
}

}  // namespace kport
