/// @file broadcast_by_hand.cpp   A broadcast written as the textbook writes it, run on a machine and judged.
#include <fmt/format.h>
#include <kport/kport.hpp>

using namespace kport;

/// What each of the 16 nodes runs: along the binomial tree of the hypercube. Port d leads across dimension d. A node
/// forwards along the dimensions above the one by which the packet came; the source along all of them.
Program broadcast(Node& self, NodeId source) {
    Packet packet;
    Port first = 0;
    if (self.id() != source) {
        const Arrival arrival = co_await self.receive();
        packet = arrival.packet();
        first = arrival.port + 1;
    }
    for (Port d = first; d < self.topology().ports(); ++d) co_await self.send(d, packet);
}

int main() {
    Job job;
    job.machine.topology = make_topology("hypercube:4");
    job.machine.ports = PortLimit(1);
    job.program = [](Node& self) { return broadcast(self, 5); };
    job.starters = {5};  // all others start when their first message comes
    job.collective = Collective::broadcast(5, 64);

    RunOptions options;
    options.per_round = true;
    const Verdict verdict = run_lockstep(job, options).verdict;

    fmt::print("{}, {}\n", job.machine.topology->spec(), job.machine.describe());
    for (const RoundMetrics& round : verdict.per_round)
        fmt::print("round {}: {} more informed\n", round.round, round.reached);
    fmt::print("rounds {}, work {}, latency {:.3f}\n", verdict.metrics.rounds, verdict.metrics.work,
               verdict.metrics.latency);
    fmt::print("{} nodes hold the packet, {} rules broken\n", verdict.holders, verdict.violation_count);
    return verdict.lawful() ? 0 : 1;
}
