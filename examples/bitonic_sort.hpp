/// @file bitonic_sort.hpp   The node program of Batcher's bitonic sort on a hypercube. Needs <kport/kport.hpp> before it.
#pragma once

#include <algorithm>
#include <vector>

namespace kport::example {

/// Stage s merges subcubes of 2^s nodes, up or down by the next bit of their numbers; port j leads across bit j.
inline Program bitonic_sort(Node& self, const std::vector<int>& numbers, std::vector<int>& sorted) {
    int mine = numbers[self.id()];
    for (Port s = 1; s <= self.degree(); ++s)
        for (Port j = s; j-- > 0;) {
            co_await self.send(j, Data(mine));
            const Arrival arrival = co_await self.receive(j);
            const bool upwards = (self.id() >> s) % 2 == 0;
            const bool is_low = (self.id() >> j) % 2 == 0;
            mine = upwards == is_low ? std::min(mine, arrival.as<int>()) : std::max(mine, arrival.as<int>());
        }
    sorted[self.id()] = mine;
}

}  // namespace kport::example
