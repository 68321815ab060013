/// @file odd_even_sort.cpp   Odd-even transposition sort on a line: N rounds (Knuth, TAOCP 3, 5.3.4).
#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <kport/kport.hpp>

#include "odd_even_sort.hpp"

using namespace kport;
using namespace kport::example;

int main() {
    const std::vector<int> numbers = {31, 4, 15, 92, 65, 35, 89, 79};
    std::vector<int> sorted(numbers.size());
    Job job;
    job.machine.topology = make_topology(fmt::format("line:{}", numbers.size()));
    job.program = [&](Node& self) { return odd_even_sort(self, numbers, sorted); };
    job.all_start = true;
    job.collective = Collective::none();
    const Verdict verdict = run_lockstep(job, {}).verdict;

    const std::uint64_t rounds = verdict.metrics.rounds;
    fmt::print("{}: {}\n", job.machine.topology->spec(), fmt::join(sorted, " "));
    fmt::print("{} rounds for {} numbers, {} rules broken\n", rounds, numbers.size(), verdict.violation_count);
    return std::ranges::is_sorted(sorted) && rounds == numbers.size() && verdict.lawful() ? 0 : 1;
}
