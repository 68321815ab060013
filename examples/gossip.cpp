/// @file gossip.cpp   A rumour pushed to random partners on a complete graph (Frieze and Grimmett, 1985; Pittel, 1987):
///                    about log2 N + ln N rounds. Every node that knows it sends it to one other node a round.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <kport/kport.hpp>

#include "gossip.hpp"

using namespace kport;
using namespace kport::example;

int main() {
    constexpr NodeId nodes = 1024;
    const double expected = std::log2(nodes) + std::log(nodes);
    const auto last = static_cast<Round>(2 * expected);
    std::vector<Round> heard(nodes, ~Round{0});
    Job job;
    job.machine.topology = make_topology(fmt::format("complete:{}", nodes));
    job.machine.ports = PortLimit::all();  // a node may receive from several others at once
    job.program = [&](Node& self) { return gossip(self, last, heard); };
    job.starters = {0};
    job.collective = Collective::none();
    const Verdict verdict = run_lockstep(job, {}).verdict;

    const Round rounds = *std::ranges::max_element(heard);
    fmt::print("{}: all have heard after {} rounds; log2 N + ln N = {:.1f}\n", job.machine.topology->spec(), rounds,
               expected);
    fmt::print("{} messages, {} rules broken\n", verdict.metrics.transfers, verdict.violation_count);
    return std::abs(rounds - expected) < expected / 4 && verdict.lawful() ? 0 : 1;
}
