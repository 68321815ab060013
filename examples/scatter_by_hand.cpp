/// @file scatter_by_hand.cpp   A scatter round a ring, in bundles and in single packets: node programs that send packet sets.
#include <fmt/format.h>
#include <kport/kport.hpp>

using namespace kport;

namespace {

constexpr Port onwards = 1;  // to the right neighbour on a ring

/// Node 0 sends its right neighbour the packets for all others in one bundle. Each node keeps its own packet and passes on
/// the rest. The packet for node v has the number v.
Program in_bundles(Node& self) {
    if (self.id() != 0) co_await self.receive();
    const PacketSet rest = PacketSet::range(self.id() + 1, self.topology().nodes());
    if (!rest.empty()) co_await self.pass(onwards, rest);
}

/// Node 0 sends single packets, the one for the farthest node first. Each node passes on packets for others; its own packet
/// comes last.
Program one_by_one(Node& self) {
    if (self.id() == 0) {
        for (NodeId v = self.topology().nodes() - 1; v > 0; --v)
            co_await self.pass(onwards, PacketSet::range(v, v + 1));
        co_return;
    }
    for (;;) {
        const Arrival arrival = co_await self.receive();
        const PacketSet packets = arrival.packets();
        if (arrival.packet().id() == self.id()) break;
        co_await self.pass(onwards, packets);
    }
}

bool run(const char* title, Program (*program)(Node&), bool combining) {
    Job job;
    job.machine.topology = make_topology("ring:8");
    job.machine.combining = combining;
    job.program = program;
    job.starters = {0};
    job.collective = Collective::scatter(0, 64);

    RunOptions options;
    options.per_round = true;
    const Verdict verdict = run_lockstep(job, options).verdict;
    fmt::print("{}, {}: {} rounds, bundles of", title, combining ? "combining" : "noncombining",
               verdict.metrics.rounds);
    for (const RoundMetrics& round : verdict.per_round)
        fmt::print(" {}", round.largest_bundle / job.collective.packet_bytes);
    fmt::print(" packets, latency {:.3f}\n", verdict.metrics.latency);
    fmt::print("    {} of {} nodes hold their packet, {} rules broken\n", verdict.holders, verdict.promised,
               verdict.violation_count);
    if (!verdict.violations.empty())
        for (const auto& line : story(verdict.violations.front(), *job.machine.topology)) fmt::print("    {}\n", line);
    return verdict.lawful();
}

}  // namespace

int main() {
    const bool bundles = run("in bundles", in_bundles, true);
    const bool singles = run("one by one", one_by_one, false);
    const bool mistaken = run("in bundles", in_bundles, false);  // the machine carries one packet a message
    return bundles && singles && !mistaken ? 0 : 1;
}
