/// @file argmax.hpp   An all-reduce of pairs by an operator of one's own. Needs <kport/kport.hpp> before it.
#pragma once

#include <cstdint>
#include <string>

namespace kport::example {

/// A measurement, and the node that made it.
struct Best {
    std::int64_t value;
    std::uint64_t node;
};

/// Returns the larger of two measurements; of equal ones that of the lower node.
inline Reduction argmax() {
    return Reduction::own<Best>({
        .name = "argmax",
        .fold = [](const Best& a,
                   const Best& b) { return a.value > b.value || (a.value == b.value && a.node < b.node) ? a : b; },
        .commutative = true,
        .idempotent = true,
        .contribution =
            [](NodeId v, std::uint64_t) {
                return Best{static_cast<std::int64_t>(v * 37 % 101), v};
            },
        .type = "value at node",
        .text = [](const Best& best) { return std::to_string(best.value) + " at " + std::to_string(best.node); },
    });
}

/// Partners across each dimension of a hypercube exchange the best that they know: log2 N rounds.
inline Program best_of_all(Node& self, Best& best) {
    Value known = self.contribution();
    for (Port d = 0; d < self.degree(); ++d) {
        co_await self.send(d, known);
        const Arrival arrival = co_await self.receive(d);
        known = self.fold(known, arrival.value());
    }
    best = known.as<Best>();
    self.result(known);
}

}  // namespace kport::example
