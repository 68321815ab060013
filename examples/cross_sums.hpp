/// @file cross_sums.hpp   The node program of the sums of all rows and columns, at the same time. Needs <kport/kport.hpp> before it.
#pragma once

#include <cstdint>

namespace kport::example {

/// Sums up round a ring of so many nodes: what came last goes on.
inline Program sum_around(Node& self, Port ahead, Port behind, std::uint64_t length, long value, long& sum) {
    sum = value;
    for (std::uint64_t step = 1; step < length; ++step) {
        co_await self.send(ahead, Data(value));
        const Arrival arrival = co_await self.receive(behind);
        value = arrival.as<long>();
        sum += value;
    }
}

/// Two strands of a node of a p x p torus share its ports.
inline Program cross_sums(Node& self, std::uint64_t p, long value, long& row, long& column) {
    constexpr Port up = 0;
    constexpr Port down = 1;
    constexpr Port left = 2;
    constexpr Port right = 3;
    co_await self.when_all(sum_around(self, left, right, p, value, row), sum_around(self, up, down, p, value, column));
}

}  // namespace kport::example
