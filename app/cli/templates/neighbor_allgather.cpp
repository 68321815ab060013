// A neighbor-allgather of your own. Change it and run it again:
//
//     kport run neighbor-allgather --on hypercube:4 --algorithm ./mine.cpp
//     kport compare neighbor-allgather --on hypercube:4 --with ./mine.cpp
//
// Every node runs the program. Write co_await as a statement, as the initialiser of a variable, or as the right side of an
// assignment.
#include <kport/kport.hpp>

using namespace kport;

/// Neighbours exchange their packets, across one dimension after the other. Port d of a hypercube leads across dimension d.
///
/// Needs   a hypercube of N = 2^n nodes, any ports; with --packets M messages of M packets
/// Costs   n rounds with one port
Program neighbor_allgather(Node& self, const Collective& task) {
    const PacketSet mine = task.owned(self.id(), self.nodes());
    for (Port d = 0; d < self.degree(); ++d) {
        co_await self.send(d, mine);
        co_await self.receive(d);
    }
}

KPORT_ALGORITHM(.operation = Operation::neighbor_allgather, .program = neighbor_allgather,
                .rule = "neighbours exchange their packets, across one dimension after the other",
                .misfit = needs_hypercube);
