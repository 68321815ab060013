/// @file leader_election.cpp   Leader election on a ring (Chang and Roberts, CACM 1979): N rounds to find the leader, N
///                             more to announce it; between 2N - 1 + N and N(N+1)/2 + N messages, depending on the
///                             order of the names.
#include <vector>

#include <fmt/format.h>
#include <kport/kport.hpp>

#include "leader_election.hpp"

using namespace kport;
using namespace kport::example;

std::uint64_t messages_with(const std::vector<std::uint64_t>& names) {
    std::vector<std::uint64_t> leaders(names.size());
    Job job;
    job.machine.topology = make_topology(fmt::format("ring:{}", names.size()));
    job.program = [&](Node& self) { return elect(self, names[self.id()], leaders[self.id()]); };
    job.all_start = true;
    job.collective = Collective::none();
    const Verdict verdict = run_lockstep(job, {}).verdict;
    const bool agreed = leaders == std::vector<std::uint64_t>(names.size(), names.size());
    fmt::print("{}: {} the leader, {} rounds, {} messages, {} rules broken\n", job.machine.topology->spec(),
               agreed ? "all know" : "NOT all know", verdict.metrics.rounds, verdict.metrics.transfers,
               verdict.violation_count);
    return agreed && verdict.lawful() ? verdict.metrics.transfers : 0;
}

int main() {
    constexpr std::uint64_t nodes = 12;
    std::vector<std::uint64_t> upwards;
    for (std::uint64_t v = 1; v <= nodes; ++v) upwards.push_back(v);
    const std::vector<std::uint64_t> downwards(upwards.rbegin(), upwards.rend());
    const std::uint64_t least = messages_with(upwards);
    const std::uint64_t most = messages_with(downwards);
    return least == 3 * nodes - 1 && most == nodes * (nodes + 1) / 2 + nodes ? 0 : 1;
}
