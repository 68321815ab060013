/// @file pipelined_broadcast.cpp   A message cut into M packets, one behind the other along a line of diameter D:
///                                 M + D - 1 rounds.
#include <vector>

#include <fmt/format.h>
#include <kport/kport.hpp>

#include "pipelined_broadcast.hpp"

using namespace kport;
using namespace kport::example;

int main() {
    constexpr std::uint64_t message_bytes = 4096;
    bool right = true;
    for (const NodeId packets : std::vector<NodeId>{1, 4, 16, 64}) {
        Job job;
        job.machine.topology = make_topology("line:10");
        job.machine.combining = false;
        job.machine.costs = {1, 0, 0.01};
        job.program = [=](Node& self) { return pipelined_broadcast(self, packets); };
        job.starters = {0};
        job.collective = packets_for_all(0, packets, message_bytes / packets);
        const Verdict verdict = run_lockstep(job, {}).verdict;
        const Metrics& cost = verdict.metrics;
        fmt::print("{} in {} packets: {} rounds, latency {:.2f}, {} rules broken\n", job.machine.topology->spec(),
                   packets, cost.rounds, cost.latency, verdict.violation_count);
        right = right && verdict.lawful() && cost.rounds == packets + job.machine.topology->diameter() - 1;
    }
    return right ? 0 : 1;
}
