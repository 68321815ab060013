// An all-to-all of your own. Change it and run it again:
//
//     kport run alltoall --on mesh:4x4 --algorithm ./mine.cpp
//     kport compare alltoall --on mesh:4x4 --with ./mine.cpp
//
// Every node runs the program. Write co_await as a statement, as the initialiser of a variable, or as the right side of an
// assignment.
#include <kport/kport.hpp>

using namespace kport;

/// Every packet travels alone, on a shortest path, and the nodes on the way pass it on.
///
/// Needs   any graph, any ports
/// Costs   the sum of all distances in hops
Program alltoall(Node& self) {
    const Topology& graph = self.topology();
    const NodeId nodes = self.nodes();
    for (NodeId v = 0; v < nodes; ++v) {
        // The packet from a node to another is in row "from", column "to".
        const PacketSet packet =
            PacketBlock{static_cast<std::uint32_t>(v), 1, 1, static_cast<std::uint32_t>(self.id())};
        if (v != self.id()) co_await self.send(graph.route(self.id(), v), packet);
    }
    for (;;) {
        const Arrival arrival =
            co_await self.serve();  // as receive(), but it may wait for ever: the run ends without it
        const NodeId target = arrival.packet().id() % nodes;
        const PacketSet packets = arrival.packets();
        if (target != self.id()) co_await self.send(graph.route(self.id(), target), packets);
    }
}

KPORT_ALGORITHM(.operation = Operation::alltoall, .program = alltoall,
                .rule = "every packet travels alone, on a shortest path");
