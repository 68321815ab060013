// A barrier of your own. Change it and run it again:
//
//     kport run barrier --on hypercube:4 --algorithm ./mine.cpp
//     kport compare barrier --on hypercube:4 --with ./mine.cpp
//
// Every node runs the program. Write co_await as a statement, as the initialiser of a variable, or as the right side of an
// assignment.
#include <kport/kport.hpp>

using namespace kport;

/// Partners across each dimension tell each other who has entered. A node whose program ends leaves the barrier: it must know of
/// all. Port d of a hypercube leads across dimension d.
///
/// Needs   a hypercube of N = 2^n nodes, any ports
/// Costs   n rounds, N n messages without bytes
Program barrier(Node& self) {
    PacketSet entered = PacketSet::range(self.id(), self.id() + 1);  // a signal names nodes
    for (Port d = 0; d < self.degree(); ++d) {
        co_await self.send(d, entered);
        const Arrival signal = co_await self.receive(d);
        entered.include(signal.packets());
    }
}

KPORT_ALGORITHM(.operation = Operation::barrier, .program = barrier,
                .rule = "partners across each dimension tell each other who has entered", .misfit = needs_hypercube);
