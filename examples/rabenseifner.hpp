/// @file rabenseifner.hpp   The node program of Rabenseifner's all-reduce. Needs <kport/kport.hpp> before it.
#pragma once

#include <cstdint>

namespace kport::example {

/// On a hypercube; each node's vector has so many segments, a multiple of N. First the vector is halved dimension by dimension:
/// of two partners each gives the other one half and folds its own, so that it ends with all contributions to one part of
/// N. Then the parts are gathered in the opposite order. Contributions are always folded in the order of the nodes.
inline Program rabenseifner(Node& self, std::uint64_t segments) {
    Value mine = self.contribution();
    std::uint64_t first = 0;
    for (Port d = 0; d < self.degree(); ++d) {
        segments /= 2;
        const bool upper = (self.id() >> d & 1) != 0;
        const Value given = self.cut(mine, upper ? first : first + segments, segments);
        co_await self.send(d, given);
        if (upper) first += segments;
        mine = self.cut(mine, first, segments);
        const Arrival arrival = co_await self.receive(d);
        mine = upper ? self.fold(arrival.value(), mine) : self.fold(mine, arrival.value());
    }
    mine = self.whole(mine);
    for (Port d = self.degree(); d-- > 0;) {
        co_await self.send(d, mine);
        const Arrival arrival = co_await self.receive(d);
        mine = self.concatenate(mine, arrival.value());
    }
    self.result(mine);
}

}  // namespace kport::example
