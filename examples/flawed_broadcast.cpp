/// @file flawed_broadcast.cpp   A broadcast whose flaw shows on few machines; stress finds the smallest.
#include <fmt/format.h>
#include <kport/kport.hpp>

using namespace kport;

/// Both ways round a ring: the source sends to both neighbours, every node passes the packet on, and the nodes farthest from
/// the source keep it. The flaw: on an even ring both ways end at the same node.
Program both_ways(Node& self, NodeId source) {
    const NodeId nodes = self.topology().nodes();
    if (self.id() == source) {
        for (Port port = 0; port < 2; ++port) co_await self.send(port, Packet(0));
        co_return;
    }
    const Arrival arrival = co_await self.receive();
    const Hops half = nodes / 2;
    if (self.topology().distance(source, self.id()) < half) {
        const Port onward = 1 - arrival.port;
        co_await self.send(onward, arrival.packet());
    }
}

int main() {
    const auto program = [](const Machine&, const Collective& collective) {
        const NodeId source = collective.root;
        return Start{[source](Node& self) { return both_ways(self, source); }, {source}};
    };
    const auto misfit = [](const Machine& machine, const Collective&) -> std::optional<std::string> {
        if (machine.topology->family() != "ring" || machine.topology->nodes() < 3) return "needs a ring";
        return std::nullopt;
    };

    StressOptions options;
    options.cases = 10'000;
    options.seconds.reset();
    const StressOutcome outcome = stress(Operation::broadcast, program, options, misfit);
    fmt::print("{} cases tried\n", outcome.coverage.cases);
    if (outcome.breakage) fmt::print("{}", outcome.breakage->text());
    return outcome.breakage ? 1 : 0;
}
