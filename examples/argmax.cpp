/// @file argmax.cpp   Which node has the largest measurement: log2 N rounds on a hypercube of any ports.
#include <fmt/format.h>
#include <kport/kport.hpp>

#include "argmax.hpp"

using namespace kport;
using namespace kport::example;

int main() {
    bool right = true;
    for (const NodeId dimensions : {3U, 6U, 10U}) {
        Job job;
        job.machine.topology = make_topology(fmt::format("hypercube:{}", dimensions));
        std::vector<Best> best(job.machine.topology->nodes());
        job.program = [&](Node& self) { return best_of_all(self, best[self.id()]); };
        job.all_start = true;
        job.collective = Collective::allreduce(sizeof(Best));
        job.reduction = argmax();
        const RunResult run = run_lockstep(job, {});
        fmt::print("{}: {}, {} rounds, {} rules broken\n", job.machine.topology->spec(), run.results.front(),
                   run.verdict.metrics.rounds, run.verdict.violation_count);
        right =
            right && run.verdict.lawful() && run.verdict.metrics.rounds == dimensions && best[1].node == best[0].node;
    }
    return right ? 0 : 1;
}
