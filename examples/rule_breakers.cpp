/// @file rule_breakers.cpp   Four node programs, each with a common mistake, and the auditor's messages.
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <kport/kport.hpp>

using namespace kport;

namespace {

constexpr Port left = 0;  // of a ring
constexpr Port right = 1;

/// Passes the packet on to the right, round the ring. Forgets that the last node's neighbour is the source.
Program pass_on(Node& self) {
    Packet packet;
    if (self.id() != 0) {
        const Arrival arrival = co_await self.receive();
        packet = arrival.packet();
    }
    co_await self.send(right, packet);
}

/// Sends both ways at once, which two ports allow. Forgets that the two streams meet.
Program both_ways(Node& self) {
    Packet packet;
    Port onwards = right;
    if (self.id() == 0) {
        co_await self.send(left, packet);
    } else {
        const Arrival arrival = co_await self.receive();
        packet = arrival.packet();
        onwards = arrival.port == left ? right : left;
    }
    co_await self.send(onwards, packet);
}

/// Every node waits for its left neighbour before it sends: a deadlock.
Program after_you(Node& self) {
    const Arrival arrival = co_await self.receive(left);
    co_await self.send(right, arrival.packet());
}

/// Declares that two sends belong to one round, on a strict machine with one port.
Program two_at_once(Node& self) {
    if (self.id() != 0) co_return;  // it holds the packet and sends nothing
    const std::vector<SendRequest> sends = {SendRequest(left, Packet()), SendRequest(right, Packet())};
    co_await self.send_together(sends);
}

/// Runs the program on a ring and prints its first broken rule, and the cycle of waiting nodes if there is one; false if it
/// breaks no rule.
bool caught(const char* title, Machine machine, NodeId nodes, Program (*program)(Node&), bool all_start = false) {
    machine.topology = make_topology(fmt::format("ring:{}", nodes));
    Job job;
    job.machine = machine;
    job.program = program;
    job.starters = {0};
    job.all_start = all_start;
    job.collective = Collective::broadcast(0, 64);
    const Verdict verdict = run_lockstep(job, {}).verdict;

    fmt::print("{}: {} of {} nodes hold the packet, broken rules: {}\n", title, verdict.holders, nodes,
               verdict.violation_count);
    if (verdict.violations.empty()) return false;
    for (const auto& line : story(verdict.violations.front(), *machine.topology)) fmt::print("    {}\n", line);
    for (const auto& cycle : waiting_cycles(verdict.violations))
        fmt::print("    deadlock: {}\n", cycle_in_words(cycle, *machine.topology));
    return true;
}

}  // namespace

int main() {
    Machine one_port;
    Machine all_port;
    all_port.ports = PortLimit::all();
    Machine strict;
    strict.policy = Policy::strict;

    bool all = caught("pass on", one_port, 5, pass_on);
    all &= caught("both ways", all_port, 5, both_ways);
    all &= caught("after you", one_port, 3, after_you, true);
    all &= caught("two at once", strict, 3, two_at_once);
    return all ? EXIT_SUCCESS : EXIT_FAILURE;
}
