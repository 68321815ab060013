/// @file barrier.cpp   A dissemination barrier for any N (Hensgen, Finkel and Manber, 1988): ceil(log2 N) rounds.
#include <bit>
#include <vector>

#include <fmt/format.h>
#include <kport/kport.hpp>

#include "barrier.hpp"

using namespace kport;
using namespace kport::example;

int main() {
    bool right = true;
    for (const NodeId nodes : std::vector<NodeId>{2, 3, 5, 8, 12, 100, 1000}) {
        Job job;
        job.machine.topology = make_topology(fmt::format("complete:{}", nodes));
        job.program = barrier;
        job.all_start = true;
        job.collective = Collective::none();
        const Verdict verdict = run_lockstep(job, {}).verdict;
        fmt::print("{}: rounds {}, rules broken {}\n", job.machine.topology->spec(), verdict.metrics.rounds,
                   verdict.violation_count);
        right = right && verdict.lawful() &&
                verdict.metrics.rounds == static_cast<std::uint64_t>(std::bit_width(nodes - 1));
    }
    return right ? 0 : 1;
}
