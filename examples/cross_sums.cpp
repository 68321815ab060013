/// @file cross_sums.cpp   The sums of all rows and columns of a matrix on a torus of p x p nodes, in two strands of each node:
///                        p - 1 rounds on 2 ports, where both move at once, and 2(p - 1) on one, which they share.
#include <vector>

#include <fmt/format.h>
#include <kport/kport.hpp>

#include "cross_sums.hpp"

using namespace kport;

int main() {
    constexpr std::uint64_t p = 5;
    bool all_right = true;
    for (const Port ports : {2U, 1U}) {
        std::vector<long> rows(p * p);
        std::vector<long> columns(p * p);
        Job job;
        job.machine.topology = make_topology(fmt::format("torus:{0}x{0}", p));
        job.machine.ports = PortLimit(ports);
        job.program = [&](Node& self) {
            const NodeId v = self.id();
            return example::cross_sums(self, p, static_cast<long>(v), rows[v], columns[v]);
        };
        job.all_start = true;
        job.collective = Collective::none();
        const Verdict verdict = run_lockstep(job, {}).verdict;

        std::uint64_t wrong = 0;
        for (NodeId v = 0; v < p * p; ++v) {
            long row = 0;
            long column = 0;
            for (NodeId i = 0; i < p; ++i) {
                row += static_cast<long>(v / p * p + i);
                column += static_cast<long>(i * p + v % p);
            }
            wrong += (rows[v] != row ? 1 : 0) + (columns[v] != column ? 1 : 0);
        }
        fmt::print("{}, {}: {} rounds, {} sums are wrong, {} rules broken\n", job.machine.topology->spec(),
                   job.machine.describe(), verdict.metrics.rounds, wrong, verdict.violation_count);
        const std::uint64_t rounds = (ports == 1 ? 2 : 1) * (p - 1);
        all_right = all_right && wrong == 0 && verdict.metrics.rounds == rounds && verdict.lawful();
    }
    return all_right ? 0 : 1;
}
