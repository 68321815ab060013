// A neighbor-alltoall, or halo exchange, of your own. Change it and run it again:
//
//     kport run neighbor-alltoall --on hypercube:4 --algorithm ./mine.cpp
//     kport compare neighbor-alltoall --on hypercube:4 --with ./mine.cpp
//
// Every node runs the program. Write co_await as a statement, as the initialiser of a variable, or as the right side of an
// assignment.
#include <kport/kport.hpp>

using namespace kport;

/// Each node sends each neighbour what it has for it, across one dimension after the other. Port d of a hypercube leads across
/// dimension d.
///
/// Needs   a hypercube of N = 2^n nodes, any ports; with --packets M messages of M packets
/// Costs   n rounds with one port
Program neighbor_alltoall(Node& self, const Collective& task) {
    const PacketSet mine = task.owned(self.id(), self.nodes());
    for (Port d = 0; d < self.degree(); ++d) {
        PacketSet packets = task.wanted(self.topology().across(self.id(), d).node, self.nodes());
        packets.keep(mine);  // of what the neighbour wants, what this node has
        co_await self.send(d, packets);
        co_await self.receive(d);
    }
}

KPORT_ALGORITHM(.operation = Operation::neighbor_alltoall, .program = neighbor_alltoall,
                .rule = "each node sends each neighbour what it has for it, across one dimension after the other",
                .misfit = needs_hypercube);
