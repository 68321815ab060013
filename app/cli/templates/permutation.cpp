// A permutation of your own. Change it and run it again:
//
//     kport run permutation --on mesh:4x4 --algorithm ./mine.cpp
//     kport compare permutation --on mesh:4x4 --with ./mine.cpp
//
// Every node runs the program. Write co_await as a statement, as the initialiser of a variable, or as the right side of an
// assignment.
#include <kport/kport.hpp>

using namespace kport;

/// The packets of a node travel in one message, on a shortest path, and the nodes on the way pass it on. --permutation says where
/// they go.
///
/// Needs   any graph, any ports; with --packets M messages of M packets
/// Costs   the sum of the distances in hops
Program permutation(Node& self, const Collective& task) {
    const Topology& graph = self.topology();
    const NodeId nodes = self.nodes();
    const NodeId target = task.permutation.target(self.id(), nodes);
    const PacketSet mine = task.owned(self.id(), nodes);
    if (target != self.id()) co_await self.send(graph.route(self.id(), target), mine);
    for (;;) {
        const Arrival arrival =
            co_await self.serve();  // as receive(), but it may wait for ever: the run ends without it
        const NodeId goal = task.permutation.target(arrival.packet().id(), nodes);  // a packet's number: whose it is
        const PacketSet packets = arrival.packets();
        if (goal != self.id()) co_await self.send(graph.route(self.id(), goal), packets);
    }
}

KPORT_ALGORITHM(.operation = Operation::permutation, .program = permutation,
                .rule = "the packets of a node travel together, on a shortest path");
