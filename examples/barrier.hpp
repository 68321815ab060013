/// @file barrier.hpp   The node program of a dissemination barrier. Needs <kport/kport.hpp> before it.
#pragma once

namespace kport::example {

/// In step s node v signals node v + 2^s and waits for the signal of node v - 2^s, modulo N.
inline Program barrier(Node& self) {
    for (NodeId distance = 1; distance < self.nodes(); distance *= 2) {
        const NodeId to = (self.id() + distance) % self.nodes();
        const NodeId from = (self.id() + self.nodes() - distance) % self.nodes();
        co_await self.send_to(to, Data('!'));
        co_await self.receive_from(from);
    }
}

}  // namespace kport::example
