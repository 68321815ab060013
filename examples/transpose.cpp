/// @file transpose.cpp   A matrix of p x p, an element a node, transposed on a 2-port mesh (Kumar, Grama, Gupta, Karypis, 1994):
///                       2(p - 1) rounds, as far as the corners are apart.
#include <vector>

#include <fmt/format.h>
#include <kport/kport.hpp>

#include "transpose.hpp"

using namespace kport;

int main() {
    constexpr std::uint64_t p = 5;
    std::vector<int> transposed(p * p);
    Job job;
    job.machine.topology = make_topology(fmt::format("mesh:{0}x{0}", p));
    job.machine.ports = PortLimit(2);
    job.program = [&](Node& self) {
        return example::transpose(self, p, static_cast<int>(self.id()), transposed[self.id()]);
    };
    job.all_start = true;
    job.collective = Collective::none();
    const Verdict verdict = run_lockstep(job, {}).verdict;

    std::uint64_t wrong = 0;
    for (std::uint64_t v = 0; v < p * p; ++v) wrong += transposed[v] != static_cast<int>(v % p * p + v / p) ? 1 : 0;
    fmt::print("{}: {} of {} elements are wrong\n", job.machine.topology->spec(), wrong, p * p);
    fmt::print("{} rounds, {} messages, {} rules broken\n", verdict.metrics.rounds, verdict.metrics.transfers,
               verdict.violation_count);
    return wrong == 0 && verdict.metrics.rounds == 2 * (p - 1) && verdict.lawful() ? 0 : 1;
}
