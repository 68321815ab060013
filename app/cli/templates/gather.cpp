// A gather of your own. Change it and run it again:
//
//     kport run gather --on mesh:4x4 --algorithm ./mine.cpp
//     kport compare gather --on mesh:4x4 --with ./mine.cpp
//
// Every node runs the program. Write co_await as a statement, as the initialiser of a variable, or as the right side of an
// assignment.
#include <kport/kport.hpp>

using namespace kport;

/// Every node sends its packet towards the root, and passes on what comes from behind.
///
/// Needs   any graph, any ports
/// Costs   the sum of all distances to the root in hops; at least N - 1 rounds with one port
Program gather(Node& self, NodeId root) {
    if (self.id() == root) co_return;  // what comes is there, without a word of its program
    const Port ahead = self.topology().route(self.id(), root);
    co_await self.send(ahead, PacketSet::range(self.id(), self.id() + 1));  // a packet has the number of its node
    for (;;) {
        const Arrival arrival =
            co_await self.serve();  // as receive(), but it may wait for ever: the run ends without it
        const PacketSet packets = arrival.packets();
        co_await self.send(ahead, packets);
    }
}

KPORT_ALGORITHM(.operation = Operation::gather, .program = gather,
                .rule = "every packet travels alone, on a shortest path");
