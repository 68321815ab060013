#include "bench/replay/contenders.hpp"

#include <cstddef>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "algorithms/run_algorithm.hpp"
#include "emulator/base/huge_array.hpp"
#include "emulator/engine/mover.hpp"
#include "emulator/topology/topology.hpp"

namespace kport::bench {

namespace {

/// One run may be shorter than the wake-up of a thread.
constexpr std::uint64_t runs = 10;

/// Times `runs` of them after one that warms the memory.
template <class Run>
Outcome timed(std::uint64_t messages, NodeId nodes, Run&& run) {
    run();
    Measurement measurement;
    for (std::uint64_t i = 0; i < runs; ++i) run();
    measurement.pause();
    return measurement.outcome(runs * messages, nodes, true);
}

Outcome replay(const Machine& machine, const Collective& collective, unsigned threads) {
    Schedule schedule;
    RunOptions recording;
    recording.recorded_schedule = &schedule;
    const Algorithm& algorithm = algorithm_named("sbt", machine, collective, {});
    const RunResult result = run_algorithm(algorithm, machine, collective, {}, {.copied = false}, recording);
    Mover mover(schedule, machine, collective, {}, 1);
    Outcome outcome = timed(mover.messages(), machine.topology->nodes(), [&] { mover.move(threads); });
    mover.spoil();
    mover.move(threads);
    outcome.right = result.verdict.lawful() && !mover.verify();
    return outcome;
}

Machine hypercube(int n, PortLimit ports) {
    Machine machine;
    machine.topology = make_topology(fmt::format("hypercube:{}", n));
    machine.ports = ports;
    return machine;
}

}  // namespace

Outcome replay_sbt(int n, PortLimit ports, unsigned threads) {
    return replay(hypercube(n, ports), {Operation::broadcast, 0, 8}, threads);
}

Outcome replay_sbt_payload(const std::string& operation, int n, std::uint64_t bytes, unsigned threads) {
    const Operation which = operation == "scatter" ? Operation::scatter : Operation::broadcast;
    return replay(hypercube(n, PortLimit::all()), {which, 0, bytes}, threads);
}

Outcome memcpy_sbt(const std::string& operation, int n, std::uint64_t bytes, unsigned threads) {
    const NodeId nodes = NodeId{1} << n;
    // In each of n rounds of a scatter half of all packets go over a link; in a broadcast each node but one gets one.
    const std::uint64_t packets = operation == "scatter" ? nodes / 2 * static_cast<std::uint64_t>(n) : nodes - 1;
    const std::uint64_t share = packets * bytes / threads;
    HugeArray<std::byte> from(share * threads);
    HugeArray<std::byte> to(share * threads);
    std::memset(from.data(), 7, from.size());
    const auto copy = [&](unsigned part) { std::memcpy(to.data() + part * share, from.data() + part * share, share); };
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    tbb::task_arena arena(static_cast<int>(threads));
    Outcome outcome = timed(nodes - 1, nodes, [&] {
        if (threads == 1)
            copy(0);
        else
            arena.execute([&] { tbb::parallel_for(0U, threads, copy); });
    });
    outcome.right = std::memcmp(from.data(), to.data(), to.size()) == 0;
    return outcome;
}

}  // namespace kport::bench
