// A scan of your own. Change it and run it again:
//
//     kport run scan --on hypercube:4 --algorithm ./mine.cpp
//     kport compare scan --on hypercube:4 --with ./mine.cpp
//
// Every node runs the program. Write co_await as a statement, as the initialiser of a variable, or as the right side of an
// assignment.
#include <kport/kport.hpp>

using namespace kport;

/// Partners across each dimension exchange the fold of their blocks; a node folds those of lower blocks into its result. Port d of
/// a hypercube leads across dimension d.
///
/// Needs   a hypercube of N = 2^n nodes, any ports
/// Costs   n rounds, N n messages
Program scan(Node& self) {
    Value result = self.contribution();
    Value block = result;
    for (Port d = 0; d < self.degree(); ++d) {
        co_await self.send(d, block);
        const Arrival arrival = co_await self.receive(d);
        if (arrival.from < self.id()) {
            result = self.fold(arrival.value(), result);
            block = self.fold(arrival.value(), block);
        } else {
            block = self.fold(block, arrival.value());
        }
    }
    self.result(result);
}

KPORT_ALGORITHM(.operation = Operation::scan, .program = scan,
                .rule = "partners across each dimension exchange the fold of their blocks", .misfit = needs_hypercube,
                .in_order = true);
