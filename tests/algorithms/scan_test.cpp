/// @file scan_test.cpp   Prefix sums in the order of the nodes on any graph (model.md section 6).
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/run_algorithm.hpp"
#include "algorithms/support/spanning_tree.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/mover.hpp"
#include "emulator/engine/script.hpp"
#include "tests/algorithms/faults.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::machine;
using test::wormhole;
using testing::HasSubstr;

constexpr std::array graphs_to_scan = {
    "line:1",   "line:2",       "ring:9",     "torus:4x4",        "cbt:3",
    "star:7",   "petersen",     "ccc:3",      "hypercube:3",      "mesh:3x4",
    "mesh:5x3", "debruijn:2,4", "complete:5", "random-tree:17,5", "random-connected:18,30,2"};

const Reduction texts_in_order{Operator::concat, ElementType::text, {}};

const Algorithm& gather_scatter() { return *find_algorithm(Operation::scan, "gather-scatter"); }
Collective scan_from(NodeId root, std::uint64_t segments = 1) {
    Collective scan{Operation::scan, root, 8};
    scan.packets_each = segments;
    return scan;
}

std::vector<Machine> machines_to_scan(const std::string& spec) {
    Machine in_pairs = machine(spec);
    in_pairs.pairwise = true;
    Machine half_links = machine(spec);
    half_links.links = Duplex::half;
    return {machine(spec),
            machine(spec, PortLimit(2)),
            wormhole(machine(spec, PortLimit::all())),
            test::half_duplex(machine(spec)),
            in_pairs,
            half_links};
}

TEST(ScanGatherScatter, FoldsInTheOrderOfTheNodesOnEveryGraphFromEveryRoot) {
    test::Sample sample(7, 5);
    for (const char* spec : graphs_to_scan)
        for (const Machine& m : machines_to_scan(spec))
            for (NodeId root = 0; root < m.topology->nodes(); root += 3)
                for (const Reduction& reduction : {Reduction{}, texts_in_order})
                    for (const std::uint64_t segments : {1U, 2U, 3U}) {
                        if (sample.leaves_out()) continue;
                        AlgorithmOptions options;
                        options.reduction = reduction;
                        EXPECT_EQ(test::faults(gather_scatter(), m, scan_from(root, segments), options, std::nullopt),
                                  "");
                    }
}

TEST(ScanGatherScatter, IsTheSameWithoutRounds) {
    RunOptions free;
    free.engine = EngineKind::free;
    for (const char* spec : graphs_to_scan) {
        const Machine m = machine(spec);
        const NodeId root = m.topology->nodes() / 2;
        for (const std::uint64_t segments : {1U, 3U}) {
            const auto verdict = [&](const RunOptions& how) {
                return run_algorithm(gather_scatter(), m, scan_from(root, segments), {}, Payload{}, how).verdict;
            };
            EXPECT_EQ(test::text(verdict(free), *m.topology), test::text(verdict({}), *m.topology)) << spec;
        }
    }
}

TEST(ScanGatherScatter, TakesTwiceTheRoundsOfTheScatterFromNode0AndNoMoreVolumeThanItAndTheGather) {
    for (const char* spec : graphs_to_scan)
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()}) {
            const Machine m = machine(spec, ports);
            const auto cost = [&](const Operation& operation, const char* name) {
                const Collective collective{operation, 0, 8};
                return expected_cost(*find_algorithm(operation, name), m, collective, {});
            };
            const ExpectedCost scan = cost(Operation::scan, "gather-scatter");
            const ExpectedCost scatter = cost(Operation::scatter, "farthest-first");
            EXPECT_EQ(*scan.rounds, 2 * *scatter.rounds) << spec;
            EXPECT_EQ(*scan.work, 2 * *scatter.work) << spec;
            EXPECT_LE(*scan.volume, 2 * *scatter.volume) << spec;
        }
}

// The tree from node 0 of a ring of 5 is 0-1-2 and 0-4-3. Up go {3}, {3,4}, {2}, {1,2}. Down go {0} to 1, {0,1,2} to 4, {0,1} to 2
// and {0,1,2} to 3.
TEST(ScanGatherScatter, SendsOnePartialResultForEachRun) {
    Schedule schedule;
    RunOptions how;
    how.recorded_schedule = &schedule;
    const Machine ring = machine("ring:5");
    const RunResult result = run_algorithm(gather_scatter(), ring, scan_from(0), {}, Payload{}, how);
    EXPECT_EQ(test::text(schedule), "1: 3>4 | 2: 2>1 4>0 | 3: 1>0 | 4: 0>1 | 5: 0>4 1>2 | 6: 4>3");
    EXPECT_EQ(result.verdict.metrics.volume, 8U * 6);
}

// model.md section 13: with combining each message carries M times as much, in the same rounds.
TEST(ScanGatherScatter, ScansAVectorInTheMessagesOfOneSegmentEachWithAllSegments) {
    const Machine ring = machine("ring:5");
    Schedule one;
    Schedule several;
    for (const auto& [segments, schedule] : {std::pair(1U, &one), std::pair(3U, &several)}) {
        RunOptions how;
        how.recorded_schedule = schedule;
        (void)run_algorithm(gather_scatter(), ring, scan_from(0, segments), {}, Payload{}, how);
    }
    ASSERT_EQ(one.size(), several.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        PacketSet all;
        for (const PacketBlock& some : one.transfer(i).packets) all.add(packets_of(some.columns(), 3));
        EXPECT_EQ(size_of(several.transfer(i).packets), all.size());
        EXPECT_TRUE(all.covers(several.transfer(i).packets));
    }
    Collective in_runs = judged_collective(gather_scatter(), scan_from(0, 3), {});
    EXPECT_EQ(audit(several, ring, in_runs, false).metrics.volume, 8U * 6 * 3);
    in_runs.packets_each = 4;
    EXPECT_FALSE(audit(several, ring, in_runs, false).lawful()) << "a segment that nobody has sent";
}

TEST(ScanGatherScatter, GivesNothingToASubtreeThatLacksNothing) {
    // From node 5, a leaf of the star with the centre 0: the centre's subtree are the nodes 0 to 4.
    const Verdict verdict = run_algorithm(gather_scatter(), machine("star:6"), scan_from(5), {}, Payload{}, {}).verdict;
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.metrics.transfers, 5U + 4U);
}

TEST(ScanGatherScatter, IsJudgedWithItsRunsApart) {
    Schedule schedule;
    RunOptions how;
    how.recorded_schedule = &schedule;
    const Machine torus = machine("torus:3x3");
    const Verdict ran = run_algorithm(gather_scatter(), torus, scan_from(0), {}, Payload{}, how).verdict;
    const Collective in_runs = judged_collective(gather_scatter(), scan_from(0), {});
    const Verdict audited = audit(schedule, torus, in_runs, false);
    EXPECT_TRUE(audited.lawful());
    EXPECT_EQ(audited.metrics, ran.metrics);
    EXPECT_FALSE(audit(schedule, torus, scan_from(0), false).lawful()) << "one partial result a message";
}

TEST(ScanGatherScatter, IsFollowedAndMovedFromItsSchedule) {
    for (const auto& [spec, segments] : {std::pair("torus:3x4", 1U), std::pair("petersen", 1U), std::pair("ring:7", 4U),
                                         std::pair("random-connected:18,30,2", 3U)}) {
        Schedule schedule;
        RunOptions how;
        how.recorded_schedule = &schedule;
        const Machine m = machine(spec);
        const Verdict ran = run_algorithm(gather_scatter(), m, scan_from(1, segments), {}, Payload{}, how).verdict;
        const Collective in_runs = judged_collective(gather_scatter(), scan_from(1, segments), {});
        for (const Reduction& reduction : {Reduction{}, texts_in_order}) {
            Job job = job_following(schedule, m, in_runs);
            job.reduction = reduction;
            EXPECT_TRUE(run_lockstep(job, {}).verdict.lawful()) << spec;
        }
        Mover mover(schedule, m, in_runs, {}, 1, 64);
        EXPECT_EQ(mover.bytes_moved(), ran.metrics.bytes) << spec;
        mover.spoil();
        mover.move(1);
        EXPECT_FALSE(mover.verify()) << spec;
    }
}

/// They are neighbours around the nodes and no consecutive ones, also as elements of one segment.
TEST(ValuesInRuns, OfTheLastAndTheFirstNodeStayApart) {
    Job job;
    job.machine = machine("ring:3");
    job.collective = scan_from(0, 2);
    job.collective.in_runs = true;
    job.all_start = true;
    std::size_t runs = 0;
    job.program = [&](Node& self) -> Program {
        const Value own = self.contribution(PacketSet::range(1, 2));
        if (self.id() == 2) co_await self.send_to(0, own);
        if (self.id() != 0) co_return;
        const Arrival arrival = co_await self.receive_from(2);
        runs = self.runs(self.fold(own, arrival.value())).size();
    };
    (void)run_lockstep(job, {});
    EXPECT_EQ(runs, 2U);
}

TEST(ScanGatherScatter, NeedsBundles) {
    EXPECT_THAT(*misfit_of(gather_scatter(), test::without_combining(machine("ring:5")), scan_from(0), {}),
                HasSubstr("needs a combining machine"));
}

// ------------------------------------------------------------------------------------------------- chain

const Algorithm& chain() { return *find_algorithm(Operation::scan, "chain"); }

/// Nodes v and v + 1 are neighbours for all v.
constexpr std::array rows_to_scan = {"line:1",   "line:2",     "line:3",     "line:8",          "ring:3",     "ring:9",
                                     "mesh:1x6", "complete:2", "complete:7", "circulant:9,1,3", "knoedel:1,2"};

/// In rounds. One port of a half duplex node, or one partner, serves a segment that comes and one that goes in turn.
std::uint64_t rounds_of_chain(const Machine& m, std::uint64_t segments) {
    const NodeId nodes = m.topology->nodes();
    if (nodes == 1) return 0;
    const bool in_turn = m.pairwise || (m.duplex == Duplex::half && m.ports == PortLimit(1));
    return nodes - 1 + (nodes > 2 && in_turn ? 2 : 1) * (segments - 1);
}

std::vector<Machine> machines_of_chain(const std::string& spec) {
    std::vector<Machine> machines = machines_to_scan(spec);
    machines.push_back(test::half_duplex(machine(spec, PortLimit(2))));
    const std::size_t combine = machines.size();
    for (std::size_t i = 0; i < combine; ++i) machines.push_back(test::without_combining(machines[i]));
    return machines;
}

TEST(ScanChain, FoldsInTheOrderOfTheNodesWithAndWithoutCombining) {
    for (const char* spec : rows_to_scan)
        for (const Machine& m : machines_of_chain(spec))
            for (const Reduction& reduction : {Reduction{}, texts_in_order})
                for (const std::uint64_t segments : {1U, 2U, 5U}) {
                    AlgorithmOptions options;
                    options.reduction = reduction;
                    const std::uint64_t rounds = rounds_of_chain(m, segments);
                    EXPECT_EQ(test::faults(chain(), m, scan_from(0, segments), options, rounds), "");
                    const ExpectedCost cost = expected_cost(chain(), m, scan_from(0, segments), options);
                    EXPECT_EQ(*cost.rounds, rounds) << spec << ", " << m.describe();
                    EXPECT_EQ(*cost.work, segments * (m.topology->nodes() - 1)) << spec;
                }
}

TEST(ScanChain, IsTheSameWithoutRounds) {
    RunOptions free;
    free.engine = EngineKind::free;
    for (const char* spec : rows_to_scan)
        for (const Machine& m : machines_of_chain(spec)) {
            const auto verdict = [&](const RunOptions& how) {
                return run_algorithm(chain(), m, scan_from(0, 4), {}, Payload{}, how).verdict;
            };
            EXPECT_EQ(test::text(verdict(free), *m.topology), test::text(verdict({}), *m.topology)) << spec;
        }
}

TEST(ScanChain, SendsASegmentOnWhileTheNextOneComes) {
    const auto schedule_of = [](const Machine& m) {
        Schedule schedule;
        RunOptions how;
        how.recorded_schedule = &schedule;
        (void)run_algorithm(chain(), m, scan_from(0, 2), {}, Payload{}, how);
        return test::text(schedule);
    };
    const Machine line = test::without_combining(machine("line:4"));
    EXPECT_EQ(schedule_of(line), "1: 0>1 | 2: 0>1 1>2 | 3: 1>2 2>3 | 4: 2>3");
    EXPECT_EQ(schedule_of(test::half_duplex(line)), "1: 0>1 | 2: 1>2 | 3: 0>1 2>3 | 4: 1>2 | 5: 2>3");
}

TEST(ScanChain, IsOptimalOnALineInFullDuplex) {
    for (const char* spec : {"line:2", "line:5", "line:9"})
        for (const std::uint64_t segments : {1U, 2U, 7U}) {
            const Machine m = test::without_combining(machine(spec));
            const Bounds bounds = reached_bounds(m, scan_from(0, segments));
            for (const Quantity quantity : {Quantity::rounds, Quantity::work, Quantity::volume})
                EXPECT_EQ(bounds[quantity].reachable, Reachable::yes) << spec << ": " << bounds[quantity].reachable_why;
            EXPECT_EQ(*bounds[Quantity::rounds].largest(), static_cast<double>(rounds_of_chain(m, segments))) << spec;
        }
}

TEST(ScanChain, IsFollowedAndMovedFromItsSchedule) {
    for (const char* spec : {"line:5", "complete:6", "ring:7"}) {
        Schedule schedule;
        RunOptions how;
        how.recorded_schedule = &schedule;
        const Machine m = test::without_combining(machine(spec));
        const Verdict ran = run_algorithm(chain(), m, scan_from(0, 3), {}, Payload{}, how).verdict;
        EXPECT_EQ(audit(schedule, m, scan_from(0, 3), false).metrics, ran.metrics) << spec;
        for (const Reduction& reduction : {Reduction{}, texts_in_order}) {
            Job job = job_following(schedule, m, scan_from(0, 3));
            job.reduction = reduction;
            EXPECT_TRUE(run_lockstep(job, {}).verdict.lawful()) << spec;
        }
        Mover mover(schedule, m, scan_from(0, 3), {}, 1, 64);
        EXPECT_EQ(mover.bytes_moved(), ran.metrics.bytes) << spec;
        mover.spoil();
        mover.move(1);
        EXPECT_FALSE(mover.verify()) << spec;
    }
}

TEST(ScanChain, NamesTheFirstNodesThatAreNoNeighbours) {
    EXPECT_EQ(*misfit_of(chain(), machine("hypercube:3"), scan_from(0), {}),
              "needs nodes v and v+1 to be neighbours for all v, and 1 and 2 are not");
    EXPECT_EQ(*misfit_of(chain(), machine("mesh:3x4"), scan_from(0), {}),
              "needs nodes v and v+1 to be neighbours for all v, and 3 (0,3) and 4 (1,0) are not");
    EXPECT_EQ(misfit_of(chain(), machine("line:1048576"), scan_from(0), {}), std::nullopt);
}

// ---- exclusive scans -------------------------------------------------------------------------------------------------

struct RecordedScan {
    std::string messages;
    RunResult result;
};

RecordedScan recorded_scan(const Algorithm& row, const Machine& m, const Collective& collective,
                           const AlgorithmOptions& options, EngineKind engine) {
    Schedule schedule;
    RunOptions how;
    how.engine = engine;
    if (engine == EngineKind::lockstep) how.recorded_schedule = &schedule;
    RunResult result = run_algorithm(row, m, collective, options, Payload{}, how);
    return {test::text(schedule), std::move(result)};
}

/// Message by message; and its results are those of the scan, a node later.
void expect_same_messages(const Algorithm& scan, const Machine& m, std::uint64_t segments) {
    const Algorithm* exclusive = find_algorithm(Operation::exscan, scan.name);
    ASSERT_NE(exclusive, nullptr) << scan.name;
    Collective collective{Operation::scan, 0, 8};
    collective.packets_each = segments;
    Collective before = collective;
    before.operation = Operation::exscan;
    AlgorithmOptions options;
    options.reduction = texts_in_order;
    ASSERT_EQ(misfit_of(scan, m, collective, options).has_value(),
              misfit_of(*exclusive, m, before, options).has_value());
    if (misfit_of(scan, m, collective, options)) return;
    SCOPED_TRACE(std::string(scan.name) + " on " + m.topology->spec() + ", " + m.describe());
    const RecordedScan one = recorded_scan(scan, m, collective, options, EngineKind::lockstep);
    const RecordedScan other = recorded_scan(*exclusive, m, before, options, EngineKind::lockstep);
    EXPECT_EQ(one.messages, other.messages);
    EXPECT_TRUE(other.result.verdict.lawful() && other.result.verdict.delivered)
        << test::text(other.result.verdict, *m.topology);
    std::vector<std::string> expected = one.result.results;
    expected.pop_back();
    EXPECT_EQ(other.result.results, expected);
    const RecordedScan free = recorded_scan(*exclusive, m, before, options, EngineKind::free);
    EXPECT_EQ(free.result.results, expected);
    EXPECT_EQ(test::text(free.result.verdict, *m.topology), test::text(other.result.verdict, *m.topology));
    options.reduction = {};
    EXPECT_EQ(test::faults(*exclusive, m, before, options, std::nullopt), "");
}

class EveryScan : public testing::TestWithParam<std::string> {};

TEST_P(EveryScan, SendsTheSameMessagesAsAnExclusiveScan) {
    const Algorithm& row = *find_algorithm(Operation::scan, GetParam());
    test::Sample sample(5, 5);
    for (const char* spec : {"line:2", "line:5", "ring:6", "hypercube:3", "mesh:3x4", "torus:3x5", "complete:2",
                             "complete:6", "complete:11", "star:6", "petersen", "cbt:2"})
        for (const Machine& m : machines_to_scan(spec))
            for (const std::uint64_t segments : {1U, 3U})
                if (!sample.leaves_out()) expect_same_messages(row, m, segments);
}

std::vector<std::string> names_of_scans() {
    std::vector<std::string> names;
    for (const Algorithm& row : catalogue())
        if (row.operation == Operation::scan) names.emplace_back(row.name);
    return names;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryScan, testing::ValuesIn(names_of_scans()), [](const auto& test) {
    std::string word = test.param;
    for (char& c : word)
        if (c == '-') c = '_';
    return word;
});

// Values of a word by exchange have an execution of their own, and a replay moves bytes without programs.
TEST(AnExclusiveScanOfNumbers, GivesTheSameResultsInEveryExecution) {
    const Reduction numbers{Operator::sum, ElementType::int64, {"1", "2", "4", "8", "16", "32", "64", "128"}};
    for (const char* name : {"exchange", "greedy-gossip"}) {
        const Algorithm& row = *find_algorithm(Operation::exscan, name);
        const Machine cube = machine("hypercube:3");
        AlgorithmOptions options;
        options.reduction = numbers;
        for (const std::uint64_t bytes : {8U, 24U}) {
            Schedule schedule;
            RunOptions recording;
            recording.recorded_schedule = &schedule;
            const Collective collective{Operation::exscan, 0, bytes};
            const testing::Matcher<std::vector<std::string>> sums =
                testing::ElementsAre("1", "3", "7", "15", "31", "63", "127");
            EXPECT_THAT(run_algorithm(row, cube, collective, options, Payload{}, {}).results, sums) << name;
            EXPECT_THAT(run_algorithm(row, cube, collective, options, Payload{}, recording).results, sums) << name;
            Mover mover(schedule, cube, judged_collective(row, collective, options), numbers, 1);
            mover.spoil();
            mover.move(2);
            EXPECT_FALSE(mover.verify()) << name << bytes;
        }
    }
}

}  // namespace
}  // namespace kport
