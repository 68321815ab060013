/// @file bitonic_sort.cpp   Batcher's bitonic sort on a hypercube of d dimensions: d(d+1)/2 rounds.
#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <kport/kport.hpp>

#include "bitonic_sort.hpp"

using namespace kport;
using namespace kport::example;

int main() {
    constexpr std::uint64_t d = 4;
    const std::vector<int> numbers = {31, 4, 15, 92, 65, 35, 89, 79, 32, 38, 46, 26, 43, 83, 27, 95};
    std::vector<int> sorted(numbers.size());
    Job job;
    job.machine.topology = make_topology(fmt::format("hypercube:{}", d));
    job.program = [&](Node& self) { return bitonic_sort(self, numbers, sorted); };
    job.all_start = true;
    job.collective = Collective::none();
    const Verdict verdict = run_lockstep(job, {}).verdict;

    const std::uint64_t rounds = verdict.metrics.rounds;
    fmt::print("{}: {}\n", job.machine.topology->spec(), fmt::join(sorted, " "));
    fmt::print("{} rounds for {} dimensions, {} rules broken\n", rounds, d, verdict.violation_count);
    return std::ranges::is_sorted(sorted) && rounds == d * (d + 1) / 2 && verdict.lawful() ? 0 : 1;
}
