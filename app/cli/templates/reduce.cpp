// A reduction of your own. Change it and run it again:
//
//     kport run reduce --on mesh:4x4 --algorithm ./mine.cpp
//     kport compare reduce --on mesh:4x4 --with ./mine.cpp
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

/// Up the tree of shortest paths: a node folds what its children send, and sends the result to its parent.
///
/// Needs   any graph, any ports
/// Costs   N - 1 messages of one hop
Program reduce(Node& self, NodeId root) {
    Value total = self.contribution();
    for (Port port = 0; port < self.topology().labels(self.id()); ++port) {
        if (!leads_to_child(self, port, root)) continue;
        const Arrival arrival = co_await self.receive(port);
        total = self.fold(total, arrival.value());
    }
    if (self.id() == root)
        self.result(total);
    else
        co_await self.send(self.topology().route(self.id(), root), total);
}

KPORT_ALGORITHM(.operation = Operation::reduce, .program = reduce,
                .rule = "up the tree of shortest paths, folding at every node");
