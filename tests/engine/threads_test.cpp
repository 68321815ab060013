/// @file threads_test.cpp   Every broadcast of the catalogue on machines of many partitions, or small ones: the same verdict, violations
///                          included, and the same schedule on 1, 2 and 8 threads; and of the schedule alone, audited and
///                          replayed.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "emulator/engine/replay.hpp"
#include "tests/engine/small_machines.hpp"
#include "tests/support/rows.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::Outcome;

const Algorithm& broadcast_named(const std::string& name) {
    return *std::find_if(catalogue().begin(), catalogue().end(), [&](const Algorithm& row) {
        return row.operation == Operation::broadcast && row.name == name;
    });
}

/// Machines of at least 4 blocks of nodes on which the algorithm runs.
std::vector<Machine> large_machines_of_broadcasts(const Algorithm& algorithm, const Collective& collective) {
    const std::pair<const char*, PortLimit> choices[] = {
        {"hypercube:15", PortLimit(1)},   {"hypercube:15", PortLimit(3)},      {"torus:181x182", PortLimit::all()},
        {"mesh:33x32x32", PortLimit(1)},  {"mesh:33x32x32", PortLimit::all()}, {"cbt:14", PortLimit(1)},
        {"complete:33000", PortLimit(1)},
    };
    std::vector<Machine> fitting;
    for (const auto& [spec, ports] : choices)
        for (const Switching switching : {Switching::store_and_forward, Switching::wormhole}) {
            Machine machine = test::machine(spec, ports);
            machine.switching = switching;
            // The generic algorithms visit every link; half a billion are too many.
            const bool too_long = std::string_view(spec) == "complete:33000" && algorithm.name != "rda";
            if (!too_long && !misfit_of(algorithm, machine, collective, {})) fitting.push_back(machine);
        }
    // Those of a few machines alone: two blocks of nodes.
    for (const char* spec : {"knoedel:13,8200", "ring:8200", "complete:8192"})
        for (const PortLimit ports : {PortLimit(1), PortLimit::all()})
            if (fitting.empty()) {
                const Machine machine = test::machine(spec, ports);
                const bool planned = algorithm.plan != nullptr;  // for minutes
                if (!planned && !misfit_of(algorithm, machine, collective, {})) fitting.push_back(machine);
            }
    for (const Machine& machine : test::small_machines())
        if (fitting.empty() && !misfit_of(algorithm, machine, collective, {})) fitting.push_back(machine);
    if (test::under_sanitizer && fitting.size() > 1) fitting = {fitting.back()};
    return fitting;
}

class EveryBroadcast : public testing::TestWithParam<std::string> {};

TEST_P(EveryBroadcast, IsTheSameOnAnyNumberOfThreadsAndAsAScheduleAlone) {
    const Algorithm& algorithm = broadcast_named(GetParam());
    Collective collective;
    if (algorithm.name == "scatter-allgather") collective.packets_each = 8;  // it needs a packet a node
    const std::vector<Machine> machines = large_machines_of_broadcasts(algorithm, collective);
    ASSERT_FALSE(machines.empty());
    for (const Machine& machine : machines) {
        const Topology& topology = *machine.topology;
        collective.root = topology.nodes() / 3;
        SCOPED_TRACE(topology.spec() + " " + machine.describe());
        Job job = make_job(algorithm, machine, collective, {});
        job.collective.packet_bytes = 24;
        const Outcome one = test::run(job, 1);
        const std::string verdict = test::text(one.verdict, topology);
        EXPECT_TRUE(one.verdict.delivered);
        const bool is_tree = topology.channels() == 2 * (topology.nodes() - 1);
        EXPECT_EQ(one.verdict.lawful(), algorithm.name != "flooding" || is_tree) << verdict;
        for (const unsigned threads : test::under_sanitizer ? std::vector{8U} : std::vector{2U, 8U}) {
            const Outcome many = test::run(job, threads);
            EXPECT_EQ(test::text(many.verdict, topology), verdict) << threads;
            EXPECT_TRUE(many.schedule == one.schedule) << threads;
        }
        EXPECT_EQ(test::text(audit(one.schedule, machine, job.collective, true), topology), verdict);
        ReplayOptions options;
        options.per_round = true;
        EXPECT_EQ(test::text(replay(one.schedule, machine, job.collective, options).verdict, topology), verdict);
    }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryBroadcast, testing::ValuesIn([] {
                             std::vector<std::string> broadcasts;
                             for (const Algorithm& row : catalogue())
                                 if (row.operation == Operation::broadcast && !test::needs_groups(row))
                                     broadcasts.emplace_back(row.name);
                             return broadcasts;
                         }()),
                         [](const auto& test) {
                             std::string name = test.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

/// A node that computes until another one has run, which was woken on the same thread.
TEST(AFreeRun, GivesWokenNodesToAThreadThatHasNothingToDo) {
    std::atomic<int> running = 0;
    std::atomic<int> met = 0;
    Job job = test::job(test::machine("star:3", PortLimit::all()),
                        [&](Node& self) -> Program {
                            if (self.id() == 0) {
                                co_await self.send(0, Packet(0));
                                co_await self.send(1, Packet(0));
                                co_return;
                            }
                            co_await self.receive();
                            ++running;
                            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
                            while (running < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
                            if (running == 2) ++met;
                        },
                        {0});
    RunOptions options = test::on(EngineKind::free);
    options.threads = 2;
    (void)run(job, options);
    EXPECT_EQ(met, 2);
}

}  // namespace
}  // namespace kport
