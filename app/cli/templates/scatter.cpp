// A scatter of your own. Change it and run it again:
//
//     kport run scatter --on mesh:4x4 --algorithm ./mine.cpp
//     kport compare scatter --on mesh:4x4 --with ./mine.cpp
//
// Every node runs the program. Write co_await as a statement, as the initialiser of a variable, or as the right side of an
// assignment.
#include <kport/kport.hpp>

using namespace kport;

/// The source sends each packet alone, and the nodes on the way pass it on.
///
/// Needs   any graph, any ports
/// Costs   the sum of all distances from the source in hops; at least N - 1 rounds with one port
Program scatter(Node& self, NodeId source) {
    const Topology& graph = self.topology();
    if (self.id() == source) {
        for (NodeId v = 0; v < self.nodes(); ++v)
            if (v != source) co_await self.send(graph.route(source, v), PacketSet::range(v, v + 1));
        co_return;
    }
    for (;;) {
        const Arrival arrival =
            co_await self.serve();                    // as receive(), but it may wait for ever: the run ends without it
        const NodeId target = arrival.packet().id();  // a packet has the number of the node that it is for
        const PacketSet packets = arrival.packets();
        if (target != self.id()) co_await self.send(graph.route(self.id(), target), packets);
    }
}

KPORT_ALGORITHM(.operation = Operation::scatter, .program = scatter,
                .rule = "every packet travels alone, on a shortest path");
