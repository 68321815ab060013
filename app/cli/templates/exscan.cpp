// An exclusive scan of your own. Change it and run it again:
//
//     kport run exscan --on complete:6 --algorithm ./mine.cpp
//     kport compare exscan --on complete:6 --with ./mine.cpp
//
// Every node runs the program. Write co_await as a statement, as the initialiser of a variable, or as the right side of an
// assignment.
#include <kport/kport.hpp>

using namespace kport;

/// Each node sends the fold of what came and its own contribution to the node 1, 2, 4, ... numbers after it. What comes stands in
/// front: it is folded into what the node sends, and apart from that into its result. Node 0 has no result.
///
/// Needs   a complete graph of any N nodes, full duplex ports
/// Costs   ceil(log2 N) rounds
Program exscan(Node& self) {
    const NodeId me = self.id();
    Value sent = self.contribution();
    std::optional<Value> before;
    for (NodeId step = 1; step < self.nodes(); step *= 2) {
        if (me + step < self.nodes()) co_await self.send_to(me + step, sent);
        if (step > me) continue;
        const Arrival arrival = co_await self.receive_from(me - step);
        sent = self.fold(arrival.value(), sent);
        before = before ? self.fold(arrival.value(), *before) : arrival.value();
    }
    if (before) self.result(*before);
}

KPORT_ALGORITHM(.operation = Operation::exscan, .program = exscan,
                .rule = "each node sends its fold to the nodes 1, 2, 4, ... numbers after it", .in_order = true);
