/// @file tickets.cpp   A counter served by node 0: each of the others asks it for a number. With one port it takes a request
///                     and gives an answer a round: N rounds on a complete graph.
#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <kport/kport.hpp>

#include "tickets.hpp"

using namespace kport;

int main() {
    constexpr NodeId nodes = 8;
    std::vector<int> tickets(nodes, -1);
    Job job;
    job.machine.topology = make_topology(fmt::format("complete:{}", nodes));
    job.program = [&](Node& self) {
        return self.id() == 0 ? example::serve_tickets(self) : example::fetch_ticket(self, tickets);
    };
    job.all_start = true;
    job.collective = Collective::none();
    const Verdict verdict = run_lockstep(job, {}).verdict;

    fmt::print("{}: nodes 1 to {} got {}\n", job.machine.topology->spec(), nodes - 1,
               fmt::join(tickets.begin() + 1, tickets.end(), " "));
    fmt::print("{} rounds, {} rules broken\n", verdict.metrics.rounds, verdict.violation_count);
    std::ranges::sort(tickets);
    bool each_once = true;
    for (NodeId v = 0; v < nodes; ++v) each_once = each_once && tickets[v] == static_cast<int>(v) - 1;
    return each_once && verdict.metrics.rounds == nodes && verdict.lawful() ? 0 : 1;
}
