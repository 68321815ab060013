// An all-gather of your own. Change it and run it again:
//
//     kport run allgather --on hypercube:4 --algorithm ./mine.cpp
//     kport compare allgather --on hypercube:4 --with ./mine.cpp
//
// Every node runs the program. Write co_await as a statement, as the initialiser of a variable, or as the right side of an
// assignment.
#include <kport/kport.hpp>

using namespace kport;

/// Partners across each dimension exchange all that they have: in phase d the packets of a block of 2^d nodes. Port d of a hypercube
/// leads across dimension d.
///
/// Needs   a hypercube of N = 2^n nodes, any ports, messages of many packets
/// Costs   n rounds, N n messages, volume N - 1 packets
Program allgather(Node& self) {
    for (Port d = 0; d < self.degree(); ++d) {
        const NodeId block = NodeId{1} << d;
        const NodeId first = self.id() / block * block;
        co_await self.send(d, PacketSet::range(first, first + block));  // a packet has the number of its node
        co_await self.receive(d);
    }
}

KPORT_ALGORITHM(.operation = Operation::allgather, .program = allgather,
                .rule = "partners across each dimension exchange all their packets", .misfit = needs_hypercube);
