/// @file tickets.hpp   The node programs of a counter that all nodes share: fetch and add. Needs <kport/kport.hpp> before it.
#pragma once

#include <vector>

namespace kport::example {

/// Hands out numbers as long as requests come.
inline Program serve_tickets(Node& self) {
    for (int next = 0;; ++next) {
        const Arrival request = co_await self.serve();
        co_await self.send(request.port, Data(next));
    }
}

inline Program fetch_ticket(Node& self, std::vector<int>& tickets) {
    co_await self.send_to(0, Data('?'));
    const Arrival answer = co_await self.receive_from(0);
    tickets[self.id()] = answer.as<int>();
}

}  // namespace kport::example
