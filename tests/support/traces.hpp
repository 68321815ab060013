/// @file traces.hpp   Small machines, schedules and runs for tests, and their text, so that a failure shows what differs.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/audit/audit_schedule.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport::test {

inline constexpr Port leftwards = 0;  ///< of a line or ring
inline constexpr Port rightwards = 1;

/// A 1-port full duplex store-and-forward machine; the rest is said by its members.
inline Machine machine(const std::string& spec, PortLimit ports = PortLimit(1)) {
    Machine machine;
    machine.topology = make_topology(spec);
    machine.ports = ports;
    return machine;
}
inline Machine half_duplex(Machine machine) {
    machine.duplex = Duplex::half;
    return machine;
}
inline Machine wormhole(Machine machine) {
    machine.switching = Switching::wormhole;
    return machine;
}
inline Machine without_combining(Machine machine) {
    machine.combining = false;
    return machine;
}
inline Machine strict(Machine machine) {
    machine.policy = Policy::strict;
    return machine;
}

/// A transfer, of packet 0 unless others are named. An empty route stands for the topology's own.
struct Step {
    Round round;
    NodeId from;
    NodeId to;
    std::vector<Port> route = {};
    std::vector<PacketBlock> packets = {PacketBlock{0}};
};

inline std::vector<Port> own_route(const Topology& topology, NodeId from, NodeId to) {
    std::vector<Port> route;
    while (from != to) {
        route.push_back(topology.route(from, to));
        from = topology.across(from, route.back()).node;
    }
    return route;
}

inline Schedule schedule(const Topology& topology, const std::vector<Step>& steps) {
    Schedule schedule;
    for (const Step& step : steps) {
        const std::vector<Port> route = step.route.empty() ? own_route(topology, step.from, step.to) : step.route;
        schedule.add(step.round, {step.from, step.to, route, step.packets});
    }
    return schedule;
}

/// "1: 0>1 2>3 | 2: 1>4": the transfers by sender and port, as the engines record them.
inline std::string text(const Schedule& schedule) {
    std::string text;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const bool new_round = i == 0 || schedule.round(i) != schedule.round(i - 1);
        if (new_round) text += fmt::format("{}{}:", i == 0 ? "" : " | ", schedule.round(i));
        const Transfer transfer = schedule.transfer(i);
        text += fmt::format(" {}>{}", transfer.from, transfer.to);
    }
    return text;
}

inline std::vector<std::string> sentences(const Verdict& verdict, const Topology& topology) {
    std::vector<std::string> list;
    for (const Violation& violation : verdict.violations) list.push_back(sentence(violation, topology));
    return list;
}
/// Returns the trace of an Outcome or a RunResult.
template <class Result>
std::vector<std::string> sentences(const Result& result, const Machine& machine) {
    return sentences(result.verdict, *machine.topology);
}

/// The whole verdict as text.
inline std::string text(const Verdict& verdict, const Topology& topology) {
    const Metrics& m = verdict.metrics;
    std::string text = fmt::format(
        "rounds {} work {} path_sum {} volume {} latency {} transfers {} bytes {}\n"
        "holders {} delivered {} nodup {} noho {} combining {} ports {} channels {} strict {} violations {}\n",
        m.rounds, m.work, m.path_sum, m.volume, m.latency, m.transfers, m.bytes, verdict.holders, verdict.delivered,
        verdict.kept(Rule::nodup), verdict.kept(Rule::noho), verdict.kept(Rule::combining), verdict.kept(Rule::ports),
        verdict.kept(Rule::channel), verdict.kept(Rule::strict), verdict.violation_count);
    for (const RoundMetrics& r : verdict.per_round)
        text +=
            fmt::format("round {}: {} transfers {} hops {} longest {} largest {} bytes {} reached {} slowest\n",
                        r.round, r.transfers, r.hops, r.longest_path, r.largest_bundle, r.bytes, r.reached, r.slowest);
    for (const Violation& v : verdict.violations)
        text += fmt::format("{} [{} {} {} {} {} {} {} {} {}]\n", sentence(v, topology), static_cast<int>(v.breach),
                            v.round, v.node, v.port, v.packet, v.other, v.earlier, v.earlier_other, v.limit);
    return text;
}

/// The result of a run, with its transfers.
struct Outcome {
    Verdict verdict;
    Schedule schedule;
};

inline Job job(Machine machine, ProgramFactory program, std::vector<NodeId> starters) {
    Job job;
    job.machine = std::move(machine);
    job.program = std::move(program);
    job.starters = std::move(starters);
    job.collective = Collective::broadcast(job.starters.empty() ? 0 : job.starters.front(), 8);
    return job;
}
/// Every node starts by itself; node 0 is the source.
inline Job job_of_all(Machine machine, ProgramFactory program) {
    Job all = job(std::move(machine), std::move(program), {0});
    all.all_start = true;
    return all;
}

inline constexpr EngineKind both_engines[] = {EngineKind::lockstep, EngineKind::free};
inline RunOptions on(EngineKind engine) {
    RunOptions options;
    options.engine = engine;
    return options;
}

inline Outcome run(const Job& job, unsigned threads = 1) {
    Outcome outcome;
    RunOptions options;
    options.threads = threads;
    options.per_round = true;
    options.recorded_schedule = &outcome.schedule;
    outcome.verdict = run_lockstep(job, options).verdict;
    return outcome;
}

}  // namespace kport::test
