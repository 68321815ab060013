/// @file rabenseifner.cpp   A vector that is really cut, all-reduced on a hypercube (Rabenseifner, 2004): 2 log2 N rounds, and
///                          2 (N-1)/N of the vector one behind the other; an exchange of whole vectors sends log2 N of them.
#include <fmt/format.h>
#include <kport/kport.hpp>

#include "rabenseifner.hpp"

using namespace kport;
using namespace kport::example;

int main() {
    constexpr std::uint64_t segment_bytes = 256;
    bool right = true;
    for (const NodeId dimensions : {1U, 3U, 6U}) {
        const NodeId nodes = NodeId{1} << dimensions;
        Job job;
        job.machine.topology = make_topology(fmt::format("hypercube:{}", dimensions));
        job.program = [=](Node& self) { return rabenseifner(self, nodes); };
        job.all_start = true;
        job.collective = Collective::allreduce(segment_bytes);
        job.collective.packets_each = nodes;
        const Verdict verdict = run_lockstep(job, {}).verdict;
        const Metrics& cost = verdict.metrics;
        fmt::print("{}: {} rounds, {} of {} bytes one behind the other, {} rules broken\n",
                   job.machine.topology->spec(), cost.rounds, cost.volume, nodes * segment_bytes,
                   verdict.violation_count);
        right = right && verdict.lawful() && cost.rounds == 2 * dimensions &&
                cost.volume == 2 * (nodes - 1) * segment_bytes;
    }
    return right ? 0 : 1;
}
