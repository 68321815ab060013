/// @file leader_election.hpp   The node program of leader election on a ring (Chang and Roberts). Needs <kport/kport.hpp> before it.
#pragma once

#include <cstdint>

namespace kport::example {

struct Word {
    std::uint64_t name;
    bool elected;
};

/// A node forwards names larger than its own; a node whose own name returns is the leader, and announces it.
inline Program elect(Node& self, std::uint64_t name, std::uint64_t& leader) {
    constexpr Port left = 0;
    constexpr Port right = 1;
    const Word candidate{name, false};
    const Word elected{name, true};
    co_await self.send(right, Data(candidate));
    while (true) {
        const Arrival arrival = co_await self.receive(left);
        const Word word = arrival.as<Word>();
        if (word.elected) leader = word.name;
        if (word.elected && word.name == name) co_return;
        if (word.name == name) co_await self.send(right, Data(elected));
        if (word.name > name) co_await self.send(right, Data(word));
        if (word.elected) co_return;
    }
}

}  // namespace kport::example
