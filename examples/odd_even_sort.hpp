/// @file odd_even_sort.hpp   The node program of odd-even transposition sort on a line. Needs <kport/kport.hpp> before it.
#pragma once

#include <algorithm>
#include <vector>

namespace kport::example {

/// In round r the nodes 2i + r mod 2 compare their number with their right neighbour's: the left one keeps the smaller.
inline Program odd_even_sort(Node& self, const std::vector<int>& numbers, std::vector<int>& sorted) {
    constexpr Port left = 0;
    constexpr Port right = 1;
    int mine = numbers[self.id()];
    for (Round r = 1; r <= self.nodes(); ++r) {
        const bool is_left = self.id() % 2 == (r + 1) % 2;
        const Port partner = is_left ? right : left;
        if (self.neighbour(partner) == no_node) continue;
        co_await self.until(r);
        co_await self.send(partner, Data(mine));
        const Arrival arrival = co_await self.receive(partner);
        mine = is_left ? std::min(mine, arrival.as<int>()) : std::max(mine, arrival.as<int>());
    }
    sorted[self.id()] = mine;
}

}  // namespace kport::example
