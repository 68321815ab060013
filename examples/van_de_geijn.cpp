/// @file van_de_geijn.cpp   A long message broadcast by scatter and allgather on a hypercube (Barnett, Littlefield, Payne and
///                          van de Geijn, 1993): 2 log2 N rounds, and 2 (N-1)/N of the message one behind the other.
#include <fmt/format.h>
#include <kport/kport.hpp>

#include "pipelined_broadcast.hpp"
#include "van_de_geijn.hpp"

using namespace kport;
using namespace kport::example;

int main() {
    constexpr std::uint64_t packet_bytes = 256;
    bool right = true;
    for (const NodeId dimensions : {1U, 3U, 6U}) {
        const NodeId nodes = NodeId{1} << dimensions;
        Job job;
        job.machine.topology = make_topology(fmt::format("hypercube:{}", dimensions));
        job.program = van_de_geijn;
        job.all_start = true;
        job.collective = packets_for_all(0, nodes, packet_bytes);
        // A node that scattered a part gets it again, and back: counted here, but not enforced.
        job.collective.rules = {.nodup = Force::counted, .noho = Force::counted};
        const Verdict verdict = run_lockstep(job, {}).verdict;
        const Metrics& cost = verdict.metrics;
        fmt::print("{}: {} rounds, {} of {} bytes one behind the other", job.machine.topology->spec(), cost.rounds,
                   cost.volume, nodes * packet_bytes);
        for (const Counted& rule : verdict.counted) fmt::print(", {} not kept {} times", name(rule.rule), rule.count);
        fmt::print(", {} rules broken\n", verdict.violation_count);
        right =
            right && verdict.lawful() && cost.rounds == 2 * dimensions && cost.volume == 2 * (nodes - 1) * packet_bytes;
    }
    return right ? 0 : 1;
}
