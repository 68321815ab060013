/// @file parallel_switches_test.cpp   Machines whose hosts are all linked to all switches: with a switch chosen for each message of a
///                                    round, algorithms take the rounds of the complete graph.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/run_algorithm.hpp"
#include "algorithms/support/planned.hpp"
#include "app/stress/second_opinion.hpp"
#include "emulator/base/random.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {
namespace {

Machine parallel_machine(const std::string& spec, PortLimit ports, bool combining) {
    Machine machine;
    machine.topology = make_topology(spec);
    machine.ports = ports;
    machine.combining = combining;
    return machine;
}

struct ParallelCase {
    const char* spec;
    Port ports;
};

class OnParallelSwitches : public testing::TestWithParam<ParallelCase> {};

TEST_P(OnParallelSwitches, AlgorithmsTakeTheRoundsOfTheCompleteGraph) {
    int compared = 0;
    int compared_folds = 0;
    for (const Operation& operation : operations())
        for (const char* name :
             {"direct", "bruck", "rda", "ring", "ring-bidirectional", "tree", "pipeline", "circulant", "doubling",
              "census", "gather-fold", "pat", "dissemination", "reduce-broadcast"})
            for (const bool combining : {true, false}) {
                const Algorithm* const row = find_algorithm(operation, name);
                if (row == nullptr) continue;
                const Machine machine = parallel_machine(GetParam().spec, PortLimit(GetParam().ports), combining);
                Machine complete = machine;
                complete.topology = make_topology(fmt::format("complete:{}", machine.topology->nodes()));
                const Collective collective = Collective::of(operation, operation.rooted() ? 3 : 0, 8);
                if (misfit_of(*row, machine, collective, {}) || misfit_of(*row, complete, collective, {})) continue;
                const std::string told =
                    fmt::format("{} {}, {}, combining {}", kport::name(operation), name, GetParam().spec, combining);
                const RunResult alone = run_algorithm(*row, complete, collective, {}, {}, {});
                compared_folds += collective.folds() ? 1 : 0;
                for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
                    Schedule schedule;
                    RunOptions options;
                    options.engine = engine;
                    options.recorded_schedule = &schedule;
                    const RunResult run = run_algorithm(*row, machine, collective, {}, {}, options);
                    const Verdict& verdict = run.verdict;
                    EXPECT_EQ(run.results, alone.results) << told;
                    EXPECT_TRUE(verdict.lawful()) << told;
                    EXPECT_EQ(verdict.metrics.rounds, alone.verdict.metrics.rounds) << told;
                    EXPECT_EQ(verdict.metrics.volume, alone.verdict.metrics.volume) << told;
                    EXPECT_EQ(verdict.metrics.work, 2 * alone.verdict.metrics.work) << told;
                    const Bounds bounds = reached_bounds(machine, collective);
                    EXPECT_GE(static_cast<double>(verdict.metrics.rounds), *bounds[Quantity::rounds].largest()) << told;
                    const umpire::Opinion opinion = judge(game_of(schedule, machine, collective));
                    EXPECT_TRUE(opinion.findings.empty() && opinion.undelivered.empty()) << told;
                    EXPECT_EQ(opinion.rounds, verdict.metrics.rounds) << told;
                }
                ++compared;
            }
    EXPECT_GT(compared, 10);
    EXPECT_GT(compared_folds, 5);
}

INSTANTIATE_TEST_SUITE_P(Boxes, OnParallelSwitches,
                         testing::Values(ParallelCase{"nvswitch:8,2", 2}, ParallelCase{"nvswitch:8,4", 4},
                                         ParallelCase{"nvswitch:8,4", 3}, ParallelCase{"nvswitch:9,3,2", 6},
                                         ParallelCase{"nvswitch:7,2,2", 3}, ParallelCase{"xgft:6,1,3", 3},
                                         ParallelCase{"nvswitch:8,6,2", 1}),
                         [](const auto& box) { return fmt::format("box{}", box.index); });

TEST(ParallelSwitches, AreThoseOfMachinesWhoseHostsAreLinkedToAll) {
    const auto found = [](const Machine& machine) { return parallel_switches(machine).has_value(); };
    const auto machine = [](const char* spec) { return parallel_machine(spec, PortLimit::all(), true); };
    EXPECT_EQ(parallel_switches(machine("nvswitch:8,6,2"))->switches, 6U);
    EXPECT_EQ(parallel_switches(machine("nvswitch:8,6,2"))->capacity, 2U);
    EXPECT_TRUE(found(machine("xgft:6,1,3"))) << "a crossbar with trunks";
    EXPECT_FALSE(found(machine("crossbar:8"))) << "one way each";
    for (const char* spec : {"complete:8", "rail:2,4", "bcube:2,1", "leaf-spine:2,2,2", "fat-tree:4", "dcell:2,1"})
        EXPECT_FALSE(found(machine(spec))) << spec;
    Machine box = machine("nvswitch:8,2");
    box.routing = Routing::adaptive;
    EXPECT_FALSE(found(box));
    box.routing = Routing::fixed;
    box.links = Duplex::half;
    EXPECT_FALSE(found(box));
    box.links = Duplex::full;
    box.switch_limit = 4;
    EXPECT_FALSE(found(box));
}

TEST(ParallelSwitches, CarryEveryRoundOfAsManyMessagesAsHostsHaveChannels) {
    Dice dice(5);
    for (int draw = 0; draw < 200; ++draw) {
        const NodeId hosts = dice.between(2, 9);
        const NodeId switches = dice.between(1, 4);
        const std::uint64_t capacity = dice.between(1, 3);
        const auto topology = make_topology(fmt::format("nvswitch:{},{},{}", hosts, switches, capacity));
        const Fabric& fabric = *topology->fabric();
        const std::uint64_t channels = switches * capacity;
        std::vector<std::uint64_t> sends(hosts);
        std::vector<std::uint64_t> receives(hosts);
        Schedule plan;
        const PacketBlock packet{0, 1, 1, 0};
        for (int i = 0; i < 200; ++i) {
            const NodeId from = dice.below(hosts);
            const NodeId to = dice.below(hosts);
            if (from == to || sends[from] == channels || receives[to] == channels) continue;
            ++sends[from];
            ++receives[to];
            plan.add(1, {from, to, {}, {&packet, 1}});
        }
        const Schedule laid = through_parallel_switches(plan, *topology, {switches, capacity});
        ASSERT_EQ(laid.size(), plan.size());
        std::map<std::pair<NodeId, Port>, std::uint64_t> used;
        for (std::size_t i = 0; i < laid.size(); ++i) {
            const Transfer message = laid.transfer(i);
            NodeId at = message.from;
            for (const Port port : message.route) {
                EXPECT_LE(++used[std::pair(at, port)], capacity);
                at = fabric.across(at, port).node;
            }
            EXPECT_EQ(at, message.to);
            EXPECT_EQ(message.to, plan.transfer(i).to);
        }
    }
}

}  // namespace
}  // namespace kport
