/// @file bundles_test.cpp   Operations of many packets in the lockstep engine: every algorithm on small machines, programs at
///                          random, replays, contended bundles, and runs that end in the middle.
#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/choice.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/engine/mover.hpp"
#include "emulator/engine/replay.hpp"
#include "emulator/engine/script.hpp"
#include "tests/engine/small_machines.hpp"
#include "tests/support/rows.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::job;
using test::job_of_all;
using test::machine;
using test::Outcome;
using test::run;
using test::wormhole;
using testing::IsEmpty;

// ----------------------------------------------------------------------------------------- every algorithm, and its replay

bool has_root(Operation operation) {
    return operation == Operation::broadcast || operation == Operation::scatter || operation == Operation::gather ||
           operation == Operation::reduce;
}

struct Moved {
    Operation operation;
    std::uint64_t packets_each = 1;
};
void PrintTo(const Moved& moved, std::ostream* out) { *out << name(moved.operation) << " of " << moved.packets_each; }

/// The bytes of a lawful schedule moved alone.
void expect_moved(const Schedule& schedule, const Machine& machine, const Collective& collective) {
    Mover mover(schedule, machine, collective, {}, 1, 8);
    for (int times = 0; times < 2; ++times) {
        mover.spoil();
        mover.move(1);
        const auto wrong = mover.verify();
        EXPECT_FALSE(wrong) << "node " << wrong->node << " byte " << wrong->byte;
    }
}

class EveryOperation : public testing::TestWithParam<Moved> {};

TEST_P(EveryOperation, IsLawfulAndItsScheduleIsJudgedTheSameAloneFollowedReplayedAndMoved) {
    Collective collective = Collective::of(GetParam().operation, 0, 24);
    collective.root = has_root(collective.operation) ? 2 : 0;
    collective.packets_each = GetParam().packets_each;
    std::set<std::string_view> seen;
    test::Sample sample(17, 3);
    for (const Machine& small : test::small_machines())
        for (const Algorithm* algorithm : applicable(small, collective, {})) {
            if (!seen.insert(algorithm->name).second && sample.leaves_out()) continue;
            const Topology& topology = *small.topology;
            SCOPED_TRACE(fmt::format("{} on {} {}", algorithm->name, topology.spec(), small.describe()));
            Schedule schedule;
            RunOptions options;
            options.per_round = true;
            options.recorded_schedule = &schedule;
            const RunResult result = run_algorithm(*algorithm, small, collective, {}, {}, options);
            EXPECT_TRUE(result.verdict.delivered);
            EXPECT_TRUE(result.verdict.lawful() || algorithm->name == "flooding");
            const std::string verdict = test::text(result.verdict, topology);
            const Collective judged = judged_collective(*algorithm, collective, {});
            if (result.verdict.lawful()) {
                options.recorded_schedule = nullptr;
                const RunResult followed = kport::run(job_following(schedule, small, judged), options);
                EXPECT_EQ(test::text(followed.verdict, topology), verdict);
                EXPECT_EQ(followed.results, result.results);
                expect_moved(schedule, small, judged);
            }
            if (collective.operation == Operation::scan) continue;  // what a node has received is more than its prefix
            EXPECT_EQ(test::text(audit(schedule, small, judged, true), topology), verdict);
            if (collective.folds()) continue;
            ReplayOptions replaying;
            replaying.per_round = true;
            const RunResult again = replay(schedule, small, collective, replaying);
            EXPECT_EQ(test::text(again.verdict, topology), verdict);
            EXPECT_EQ(again.results, result.results);
        }
    std::set<std::string_view> rows;
    for (const Algorithm& row : catalogue())
        if (row.operation == collective.operation && !test::needs_groups(row) &&
            (row.name != "scatter-allgather" || collective.packets_each >= 12))
            rows.insert(row.name);                        // it needs a packet a node
    if (collective.packets_each > 1) rows.erase("flow");  // it moves one of each
    EXPECT_EQ(seen, rows) << "a row of the catalogue runs on none of these machines";
}

/// In the round after the limit programs do what they do before anything moves: some get their results there.
TEST_P(EveryOperation, IsCountedTheSameByBothEnginesWhereItIsStopped) {
    Collective collective = Collective::of(GetParam().operation, 0, 24);
    collective.packets_each = GetParam().packets_each;
    unsigned stopped = 0;
    test::Sample sample(31, 2);
    for (const Machine& small : test::small_machines())
        for (const Algorithm* algorithm : applicable(small, collective, {}))
            for (const Round most : {1U, 3U, 4U}) {
                if (sample.leaves_out()) continue;
                RunOptions options;
                options.max_rounds = most;
                const RunResult lockstep = run_algorithm(*algorithm, small, collective, {}, {}, options);
                options.engine = EngineKind::free;
                options.threads = 1 + most % 2;
                const RunResult free_run = run_algorithm(*algorithm, small, collective, {}, {}, options);
                stopped += free_run.out_of_rounds && free_run.engine == EngineKind::free ? 1 : 0;
                EXPECT_EQ(free_run.out_of_rounds, lockstep.out_of_rounds);
                EXPECT_EQ(test::text(free_run.verdict, *small.topology), test::text(lockstep.verdict, *small.topology))
                    << algorithm->name << " on " << small.topology->spec() << " " << small.describe() << ", " << most;
            }
    EXPECT_TRUE(stopped > 0 || collective.inwards()) << "where it is reversed, its forward run is stopped";
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryOperation, testing::ValuesIn([] {
                             std::vector<Moved> all;
                             for (const Operation& operation :
                                  {Operation::broadcast, Operation::scatter, Operation::gather, Operation::reduce,
                                   Operation::allreduce, Operation::scan, Operation::allgather, Operation::alltoall,
                                   Operation::reduce_scatter})
                                 for (const std::uint64_t m : {1U, 3U}) all.push_back({operation, m});
                             all.push_back({Operation::broadcast, 12});
                             all.push_back({Operation::reduce, 12});
                             return all;
                         }()),
                         [](const auto& test) {
                             std::string text =
                                 fmt::format("{}_{}", name(test.param.operation), test.param.packets_each);
                             std::ranges::replace(text, '-', '_');
                             return text;
                         });

// ------------------------------------------------------------------------------------------------------ programs at random

/// In every round a node sends parts of its packets to random neighbours, and receives.
struct Drawn {
    unsigned seed;
    unsigned rounds;
    bool passes;
};

Program send_at_random(Node& self, Drawn drawn) {
    const Topology& topology = self.topology();
    PacketSet held = PacketSet::range(self.id(), self.id() + 1);
    std::uint64_t state = drawn.seed * 1'000'003 + self.id();
    const auto below = [&](std::uint64_t n) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return (state >> 33) % n;
    };
    for (unsigned round = 0; round < drawn.rounds; ++round) {
        const Port ports = topology.ports();
        for (std::uint64_t sends = below(3); sends > 0; --sends) {
            const Port port = static_cast<Port>(below(ports));
            if (topology.across(self.id(), port).node == no_node) continue;
            PacketSet part;
            for (const PacketBlock& block : held.blocks())
                if (below(3) != 0) part.add(block);
            if (part.empty()) continue;
            if (drawn.passes && below(4) == 0)
                co_await self.pass(port, part);
            else
                co_await self.send(port, part);
        }
        while (self.has_arrival()) {
            const Arrival arrival = co_await self.receive();
            const PacketSet came = arrival.packets();
            for (const PacketBlock& block : came.blocks())
                held.add(without({&block, 1}, std::vector<PacketBlock>(held.blocks().begin(), held.blocks().end())));
        }
        co_await self.next_round();
    }
}

RC_GTEST_PROP(BundlesAtRandom, AreJudgedTheSameByARunByAnAuditAndByAReplay, ()) {
    const Drawn drawn{*rc::gen::inRange(0U, 1U << 30), *rc::gen::inRange(1U, 7U), false};
    Machine any = machine(*rc::gen::element<std::string>("ring:6", "mesh:3x3", "complete:5", "hypercube:3"),
                          *rc::gen::element(PortLimit(1), PortLimit(2), PortLimit::all()));
    any.switching = *rc::gen::element(Switching::store_and_forward, Switching::wormhole);
    any.duplex = *rc::gen::element(Duplex::full, Duplex::half);
    any.combining = *rc::gen::element(true, false);
    Job random = job_of_all(any, [drawn](Node& self) { return send_at_random(self, drawn); });
    random.collective.operation = Operation::allgather;
    random.collective.packet_bytes = *rc::gen::element<std::uint64_t>(1, 8, 20);
    const Outcome outcome = run(random);
    // For packets that come twice or come back too: the bytes are right, and nodes send only packets that they hold.
    for (const Violation& v : outcome.verdict.violations)
        RC_ASSERT(v.breach == Breach::received_again || v.breach == Breach::received_own ||
                  v.breach == Breach::never_received || v.breach == Breach::bundled);
    for (std::size_t i = 0; i < outcome.schedule.size(); ++i)  // a schedule must not let a round pass, a program may
        if (outcome.schedule.round(i) > (i == 0 ? 0 : outcome.schedule.round(i - 1)) + 1) return;
    const std::string verdict = test::text(outcome.verdict, *any.topology);
    RC_ASSERT(test::text(audit(outcome.schedule, any, random.collective, true), *any.topology) == verdict);
    ReplayOptions replaying;
    replaying.per_round = true;
    RC_ASSERT(test::text(replay(outcome.schedule, any, random.collective, replaying).verdict, *any.topology) ==
              verdict);
}

// -------------------------------------------------------------------------------------------------------- contended bundles

/// All others send to node 0 in round 1, each its own packet; under the queue policy they wait for their turn.
Program send_own_to_node_0(Node& self) {
    if (self.id() != 0) co_await self.send_to(0, Packet(self.id()));
}

TEST(ContendedBundles, KeepAllPacketsWhileTheyWait) {
    for (const bool worm : {false, true})
        for (const std::uint64_t bytes : {1U, 8U, 100U})
            for (const unsigned ports : {1U, 2U, 3U}) {
                Machine star = machine("complete:9", PortLimit(ports));
                if (worm) star = wormhole(star);
                Job gather = job_of_all(star, send_own_to_node_0);
                gather.collective = {Operation::gather, 0, bytes};
                const Outcome outcome = run(gather);
                EXPECT_THAT(test::sentences(outcome.verdict, *star.topology), IsEmpty());
                EXPECT_TRUE(outcome.verdict.delivered);
                EXPECT_EQ(outcome.verdict.metrics.rounds, (8U + ports - 1) / ports);
            }
}

/// With values: single elements, which leave the round with their senders, must be kept while they wait.
Program reduce_at_node_0(Node& self) {
    Value all = self.contribution();
    if (self.id() != 0) {
        co_await self.send_to(0, all);
        co_return;
    }
    for (NodeId left = self.topology().nodes() - 1; left > 0; --left) {
        const Arrival arrival = co_await self.receive();
        all = self.fold(all, arrival.value());
    }
    self.result(all);
}

TEST(ContendedBundles, KeepTheValuesOfAReduction) {
    for (const std::uint64_t bytes : {8U, 24U})
        for (const Reduction& reduction :
             {Reduction{Operator::sum, ElementType::int64, {}}, Reduction{Operator::concat, ElementType::text, {}}}) {
            const Machine star = machine("complete:9");
            Job reduce = job_of_all(star, reduce_at_node_0);
            reduce.collective = {Operation::reduce, 0, bytes};
            reduce.reduction = reduction;
            const RunResult result = run_lockstep(reduce, {});
            EXPECT_THAT(test::sentences(result.verdict, *star.topology), IsEmpty());
            EXPECT_EQ(result.verdict.metrics.rounds, 8U);
            if (reduction.op == Operator::concat) {
                EXPECT_THAT(result.results, testing::ElementsAre("0.1.2.3.4.5.6.7.8."));
            }
        }
}

TEST(ContendedBundles, KeepAllPacketsWhereWormholePathsCross) {
    // Every node sends to every other over the one line: the paths compete for nearly every channel.
    Machine line = wormhole(machine("line:6", PortLimit(2)));
    Job all = job_of_all(line, [](Node& self) -> Program {
        const NodeId nodes = self.topology().nodes();
        for (NodeId to = 0; to < nodes; ++to)
            if (to != self.id()) co_await self.send_to(to, Packet(self.id() * nodes + to));
    });
    all.collective = {Operation::alltoall, 0, 100};
    const Outcome outcome = run(all);
    EXPECT_THAT(test::sentences(outcome.verdict, *line.topology), IsEmpty());
    EXPECT_TRUE(outcome.verdict.delivered);
    EXPECT_EQ(test::text(replay(outcome.schedule, line, all.collective, {}).verdict, *line.topology),
              test::text(run_lockstep(all, {}).verdict, *line.topology));
}

/// Node 2 is informed first and sends first, by a lower port; node 1 sends the same packet in the same round.
TEST(BundlesOfARound, ComeInTheOrderOfTheirSendersForAnyOrderOfRuns) {
    const Machine cube = machine("hypercube:2", PortLimit::all());
    Job scatter = job(cube,
                      [](Node& self) -> Program {
                          const Packet packet(3);
                          if (self.id() == 0) {
                              co_await self.send_to(2, packet);
                              co_await self.send_to(1, packet);
                          } else if (self.id() != 3) {
                              co_await self.receive();
                              co_await self.send_to(3, packet);
                          }
                      },
                      {0});
    scatter.collective.operation = Operation::scatter;
    const Outcome outcome = run(scatter);
    const Verdict alone = audit(outcome.schedule, cube, scatter.collective, true);
    EXPECT_EQ(test::text(outcome.verdict, *cube.topology), test::text(alone, *cube.topology));
    const auto again = std::find_if(outcome.verdict.violations.begin(), outcome.verdict.violations.end(),
                                    [](const Violation& v) { return v.rule() == Rule::nodup && v.node == 3; });
    ASSERT_NE(again, outcome.verdict.violations.end());
    EXPECT_EQ(again->other, 2U);
}

// --------------------------------------------------------------------------------------------- runs that end in the middle

/// AddressSanitizer finds leaks: bodies in mail, in letters, with waiting claims, at nodes.
TEST(ABundleRunThatEndsInTheMiddle, LeavesNothingWhenItIsStopped) {
    const std::atomic<bool> stop = true;
    RunOptions options;
    options.stop = &stop;
    for (const PortLimit ports : {PortLimit(1), PortLimit::all()})  // one message waits at node 0, or all of them
        for (const std::uint64_t bytes : {8U, 4000U}) {
            Job gather = job_of_all(machine("complete:9", ports), send_own_to_node_0);
            gather.collective = {Operation::gather, 0, bytes};
            const RunResult result = run_lockstep(gather, options);
            EXPECT_TRUE(result.stopped);
            EXPECT_EQ(result.verdict.metrics.rounds, 1U);
            gather.all_start = false;  // node 0 sleeps: its mail waits for it elsewhere
            gather.starters = {1, 2, 3, 4, 5, 6, 7, 8};
            EXPECT_TRUE(run_lockstep(gather, options).stopped);
            Job reduce = job_of_all(machine("complete:9", ports), reduce_at_node_0);
            reduce.collective = {Operation::reduce, 0, bytes};
            EXPECT_TRUE(run_lockstep(reduce, options).stopped);
        }
    for (const Operation& operation : {Operation::scatter, Operation::gather, Operation::reduce, Operation::allreduce,
                                       Operation::scan, Operation::allgather, Operation::alltoall}) {
        Collective collective;
        collective.operation = operation;
        collective.packet_bytes = 4000;
        const Machine cube = machine("hypercube:3");
        EXPECT_TRUE(run_algorithm(best_algorithm(cube, collective, {}), cube, collective, {}, {}, options).stopped);
    }
}

/// Sends in rounds 1 and 2, holds a value and an arrival, and fails in round 3 at one node while others have mail.
Program fail_while_others_send(Node& self) {
    const NodeId nodes = self.topology().nodes();
    const PacketSet own = PacketSet::range(self.id(), self.id() + 1);
    co_await self.send_to((self.id() + 1) % nodes, own);
    const Arrival first = co_await self.receive();
    co_await self.send_to((self.id() + 1) % nodes, first.packets());
    co_await self.receive();
    const PacketSet again = first.packets();
    co_await self.send_to((self.id() + 2) % nodes, again);
    if (self.id() == 3) throw std::runtime_error("enough");
    co_await self.send_to((self.id() + 2) % nodes, again);
}

Program fail_with_values(Node& self) {
    const NodeId nodes = self.topology().nodes();
    const Value own = self.contribution();
    co_await self.send_to((self.id() + 1) % nodes, own);
    const Arrival arrival = co_await self.receive();
    const Value both = self.fold(own, arrival.value());
    self.result(both);
    co_await self.send_to((self.id() + 1) % nodes, both);
    if (self.id() == 3) throw std::runtime_error("enough");
    co_await self.receive();
}

TEST(ABundleRunThatEndsInTheMiddle, LeavesNothingWhenAProgramFails) {
    for (const bool worm : {false, true})
        for (const std::uint64_t bytes : {8U, 24U, 4000U})
            for (const bool reduces : {false, true}) {
                Machine complete = machine("complete:7");
                if (worm) complete = wormhole(complete);
                Job failing = job_of_all(complete, reduces ? fail_with_values : fail_while_others_send);
                failing.collective = {reduces ? Operation::allreduce : Operation::allgather, 0, bytes};
                try {
                    (void)run(failing);
                    FAIL() << "the run did not fail";
                } catch (const ProgramError& error) {
                    EXPECT_EQ(error.node, 3U);
                    EXPECT_EQ(error.round, reduces ? 2U : 3U);
                }
            }
}

TEST(ABundleRunThatEndsInTheMiddle, LeavesNothingWhenProgramsWaitForEver) {
    const auto never_received = [](Node& self) -> Program {
        const NodeId nodes = self.topology().nodes();
        const PacketSet own = PacketSet::range(self.id(), self.id() + 1);
        co_await self.send_to((self.id() + 1) % nodes, own);
        if (self.id() % 2 == 0) co_await self.receive();
        co_await self.receive(77);
    };
    Job waiting = job_of_all(machine("complete:6"), never_received);
    waiting.collective = {Operation::allgather, 0, 4000};
    const Outcome outcome = run(waiting);
    EXPECT_EQ(std::count_if(outcome.verdict.violations.begin(), outcome.verdict.violations.end(),
                            [](const Violation& v) { return v.breach == Breach::waits_for_ever; }),
              6);
}

TEST(ABundleRunThatEndsInTheMiddle, LeavesNothingWhenAReplayIsStopped) {
    const Machine ring = machine("ring:5");
    Schedule schedule;
    Round round = 1;
    for (NodeId v = 1; v < 5; ++v)
        schedule.add(round++, test::schedule(*ring.topology, {{1, v, (v + 1) % 5}}).transfer(0));
    const std::atomic<bool> stop = true;
    ReplayOptions options;
    options.stop = &stop;
    EXPECT_TRUE(replay(schedule, ring, {Operation::allgather, 0, 4000}, options).stopped);
}

}  // namespace
}  // namespace kport
