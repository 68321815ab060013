/// @file judge_a_schedule.cpp   A run recorded as a schedule, written as text, and audited on other machines.
#include <iostream>

#include <fmt/format.h>
#include <kport/kport.hpp>

using namespace kport;

namespace {

/// From the middle of a line to both ends.
Program outwards(Node& self, NodeId middle) {
    constexpr Port left = 0;
    constexpr Port right = 1;
    const NodeId last = self.topology().nodes() - 1;
    Packet packet;
    if (self.id() != middle) {
        const Arrival arrival = co_await self.receive();
        packet = arrival.packet();
    }
    if (self.id() <= middle && self.id() > 0) co_await self.send(left, packet);
    if (self.id() >= middle && self.id() < last) co_await self.send(right, packet);
}

void judge(const char* title, const Schedule& schedule, const Machine& machine, const Collective& collective) {
    const Verdict verdict = audit(schedule, machine, collective, false);
    fmt::print("{}: {} rounds, {}\n", title, verdict.metrics.rounds, verdict.lawful() ? "lawful" : "not lawful");
    for (const Violation& violation : verdict.violations)
        fmt::print("    {}\n", sentence(violation, *machine.topology));
}

}  // namespace

int main() {
    const NodeId middle = 2;
    Job job;
    job.machine.topology = make_topology("line:5");
    job.machine.ports = PortLimit::all();
    job.program = [](Node& self) { return outwards(self, middle); };
    job.starters = {middle};
    job.collective = Collective::broadcast(middle, 64);

    Schedule schedule;
    RunOptions options;
    options.recorded_schedule = &schedule;
    const Verdict verdict = run_lockstep(job, options).verdict;
    write_schedule(std::cout, schedule, *job.machine.topology);
    std::cout.flush();

    Machine one_port = job.machine;
    one_port.ports = PortLimit(1);
    judge("judged as it ran, on an all-port machine", schedule, job.machine, job.collective);
    judge("judged on a 1-port machine", schedule, one_port, job.collective);
    const Schedule back = reversed(schedule, *job.machine.topology);
    fmt::print("reversed in time: {} transfers in {} rounds, the first from node {} to node {}\n", back.size(),
               back.rounds(), back.transfer(0).from, back.transfer(0).to);
    return verdict.lawful() ? 0 : 1;
}
