// A reduce-scatter of your own. Change it and run it again:
//
//     kport run reduce-scatter --on hypercube:4 --algorithm ./mine.cpp
//     kport compare reduce-scatter --on hypercube:4 --with ./mine.cpp
//
// Every node runs the program. Write co_await as a statement, as the initialiser of a variable, or as the right side of an
// assignment.
#include <kport/kport.hpp>

using namespace kport;

/// The vector is halved again and again, the highest dimension first: of two partners the one with the higher number keeps the upper
/// half. So node b ends with block b. Port d of a hypercube leads across dimension d.
///
/// Needs   a hypercube of N = 2^n nodes, any ports, messages of many segments, an operator that commutes
/// Costs   n rounds, N n messages, volume M (N - 1) segments
Program reduce_scatter(Node& self, const Collective& task) {
    std::uint64_t segments = task.segments(self.nodes());  // N blocks of M (--packets)
    std::uint64_t first = 0;
    Value mine = self.contribution();
    for (Port d = self.degree(); d-- > 0;) {
        segments /= 2;
        const bool upper = (self.id() >> d & 1) != 0;
        const std::uint64_t kept = upper ? first + segments : first;
        const Value given = self.cut(mine, upper ? first : first + segments, segments);
        co_await self.send(d, given);
        const Arrival arrival = co_await self.receive(d);
        mine = self.cut(mine, kept, segments);
        mine = self.fold(mine, arrival.value());
        first = kept;
    }
    self.result(mine);
}

KPORT_ALGORITHM(.operation = Operation::reduce_scatter, .program = reduce_scatter,
                .rule = "partners halve the vector, the highest dimension first, and fold the half they keep",
                .misfit = needs_hypercube);
