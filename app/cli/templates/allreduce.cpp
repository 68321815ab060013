// An all-reduce of your own. Change it and run it again:
//
//     kport run allreduce --on hypercube:4 --algorithm ./mine.cpp
//     kport compare allreduce --on hypercube:4 --with ./mine.cpp
//
// Every node runs the program. Write co_await as a statement, as the initialiser of a variable, or as the right side of an
// assignment.
#include <kport/kport.hpp>

using namespace kport;

/// Partners across each dimension exchange their partial results. Port d of a hypercube leads across dimension d.
///
/// Needs   a hypercube of N = 2^n nodes, any ports
/// Costs   n rounds, N n messages
Program allreduce(Node& self) {
    Value total = self.contribution();
    for (Port d = 0; d < self.degree(); ++d) {
        co_await self.send(d, total);
        const Arrival arrival = co_await self.receive(d);
        const bool lower = arrival.from < self.id();  // the lower block stands left
        total = lower ? self.fold(arrival.value(), total) : self.fold(total, arrival.value());
    }
    self.result(total);
}

KPORT_ALGORITHM(.operation = Operation::allreduce, .program = allreduce,
                .rule = "partners across each dimension exchange and fold", .misfit = needs_hypercube,
                .in_order = true);
