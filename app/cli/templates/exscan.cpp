// An exclusive scan of your own. Change it and run it again:
//
//     kport run exscan --on hypercube:4 --algorithm ./mine.cpp
//     kport compare exscan --on hypercube:4 --with ./mine.cpp
//
// Every node runs the program. Write co_await as a statement, as the initialiser of a variable, or as the right side of an
// assignment.
#include <optional>

#include <kport/kport.hpp>

using namespace kport;

/// Partners across each dimension exchange the fold of their blocks; a node folds those of lower blocks into its result, which begins
/// empty. Node 0 has no result. Port d of a hypercube leads across dimension d.
///
/// Needs   a hypercube of N = 2^n nodes, any ports
/// Costs   n rounds, N n messages
Program exscan(Node& self) {
    std::optional<Value> result;
    Value block = self.contribution();
    for (Port d = 0; d < self.degree(); ++d) {
        co_await self.send(d, block);
        const Arrival arrival = co_await self.receive(d);
        if (arrival.from < self.id()) {
            result = result ? self.fold(arrival.value(), *result) : arrival.value();
            block = self.fold(arrival.value(), block);
        } else {
            block = self.fold(block, arrival.value());
        }
    }
    if (result) self.result(*result);
}

KPORT_ALGORITHM(.operation = Operation::exscan, .program = exscan,
                .rule = "partners across each dimension exchange the fold of their blocks", .misfit = needs_hypercube,
                .in_order = true);
