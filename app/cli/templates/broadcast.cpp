// A broadcast of your own. Change it and run it again:
//
//     kport run broadcast --on mesh:4x4 --algorithm ./mine.cpp
//     kport compare broadcast --on mesh:4x4 --with ./mine.cpp
//
// Every node runs the program. Write co_await as a statement, as the initialiser of a variable, or as the right side of an
// assignment.
#include <kport/kport.hpp>

using namespace kport;

/// The neighbour of v on a shortest path to the root. So every node but the root has one parent: they make a tree.
NodeId parent(const Topology& graph, NodeId v, NodeId root) { return graph.across(v, graph.route(v, root)).node; }

/// Whether the neighbour by this port is a child of the node in that tree.
bool leads_to_child(const Node& self, Port port, NodeId root) {
    const NodeId w = self.neighbour(port);
    return w != no_node && w != root && parent(self.topology(), w, root) == self.id();
}

/// Down the tree of shortest paths: who has the packet passes it on to its children, one after the other.
///
/// Needs   any graph, any ports
/// Costs   N - 1 messages of one hop; with all ports as many rounds as the farthest node is links away, with fewer more
Program broadcast(Node& self, NodeId source) {
    Packet packet;
    if (self.id() != source) {
        const Arrival arrival = co_await self.receive();  // waits for the parent's message
        packet = arrival.packet();
    }
    for (Port port = 0; port < self.topology().labels(self.id()); ++port)
        if (leads_to_child(self, port, source)) co_await self.send(port, packet);
}

KPORT_ALGORITHM(.operation = Operation::broadcast, .program = broadcast,
                .rule = "down the tree of shortest paths, a child after the other");
