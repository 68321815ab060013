/// @file free_test.cpp   The free-running engine: equal to lockstep wherever no claims compete, on any number of threads and
///                       any number of times; what it does not arbitrate is a violation; what only rounds can tell is left
///                       to rounds.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>

#include "algorithms/choice.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/free_running.hpp"
#include "emulator/engine/sabotage.hpp"
#include "emulator/engine/script.hpp"
#include "tests/engine/collectives.hpp"
#include "tests/engine/free_runs.hpp"
#include "tests/support/rows.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::moves;
using test::options_for;
using test::sbt;
using test::told;

std::vector<Machine> machines_for(const Algorithm& algorithm, const Collective& collective) {
    std::vector<Machine> fitting;
    for (const char* spec : {"hypercube:1", "hypercube:4", "torus:3x4", "mesh:4x5", "ring:7", "ring:8", "line:6",
                             "complete:8", "complete:9", "cbt:3", "knoedel:3,8", "line:1"})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (const Switching switching : {Switching::store_and_forward, Switching::wormhole})
                for (const bool combining : {true, false}) {
                    Machine machine = test::machine(spec, ports);
                    machine.switching = switching;
                    machine.combining = combining;
                    if (!misfit_of(algorithm, machine, collective, {})) fitting.push_back(machine);
                }
    return fitting;
}

class EveryAlgorithmRunningFree : public testing::TestWithParam<const Algorithm*> {};

TEST_P(EveryAlgorithmRunningFree, GivesTheReportOfLockstepOnAnyNumberOfThreads) {
    const Algorithm& algorithm = *GetParam();
    const Collective collective = test::collective_for(algorithm, 24);
    const std::vector<Machine> machines = machines_for(algorithm, collective);
    ASSERT_FALSE(machines.empty());
    test::Sample sample(13, 3);
    for (const Machine& machine : machines) {
        if (sample.leaves_out()) continue;
        const Topology& topology = *machine.topology;
        SCOPED_TRACE(topology.spec() + " " + machine.describe());
        Schedule schedule;
        RunOptions in_lockstep = options_for(1, &schedule);
        in_lockstep.engine = EngineKind::lockstep;
        const RunResult right = run_algorithm(algorithm, machine, collective, {}, {}, in_lockstep);
        for (const unsigned threads : {1U, 2U, 8U}) {
            Schedule recorded;
            const RunResult result =
                run_algorithm(algorithm, machine, collective, {}, {}, options_for(threads, &recorded));
            const bool competes = algorithm.competes && topology.nodes() - 1 > machine.ports_of(collective.root);
            const bool needs_rounds = competes || (algorithm.name == "flooding" && topology.nodes() > 1);
            EXPECT_EQ(result.engine == EngineKind::lockstep, needs_rounds) << threads;
            EXPECT_EQ(test::text(result.verdict, topology), test::text(right.verdict, topology)) << threads;
            EXPECT_EQ(moves(recorded), moves(schedule)) << threads;
            EXPECT_EQ(result.results, right.results) << threads;
        }
    }
}

TEST_P(EveryAlgorithmRunningFree, NeedsNoRoundsForSeveralPacketsWhereNothingCompetes) {
    const Algorithm& algorithm = *GetParam();
    if (algorithm.competes || algorithm.name == "flooding") return;
    test::Sample sample(61, 5);
    for (const std::uint64_t packets : {2U, 5U, 16U}) {
        Collective collective = test::collective_for(algorithm, 24);
        if (collective.signals()) return;
        collective.packets_each = packets;
        for (const Machine& machine : machines_for(algorithm, collective)) {
            if (sample.leaves_out()) continue;
            const Topology& topology = *machine.topology;
            SCOPED_TRACE(fmt::format("{} packets, {} {}", packets, topology.spec(), machine.describe()));
            RunOptions in_lockstep = options_for(1);
            in_lockstep.engine = EngineKind::lockstep;
            const RunResult right = run_algorithm(algorithm, machine, collective, {}, {}, in_lockstep);
            const RunResult result = run_algorithm(algorithm, machine, collective, {}, {}, options_for(2));
            EXPECT_EQ(result.needs_rounds, NeedsRounds::no);
            EXPECT_EQ(test::text(result.verdict, topology), test::text(right.verdict, topology));
            EXPECT_EQ(result.results, right.results);
        }
    }
}

std::vector<const Algorithm*> all_rows() {
    std::vector<const Algorithm*> rows;
    for (const Algorithm& row : catalogue())
        if (!test::needs_groups(row)) rows.push_back(&row);
    return rows;
}
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryAlgorithmRunningFree, testing::ValuesIn(all_rows()), [](const auto& test) {
    std::string text = fmt::format("{}_{}", name(test.param->operation), test.param->name);
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
});

// ---- schedules as programs

TEST(AFollowedSchedule, MovesInLockstepWhatAReplayMoves) {
    for (const Operation& operation : {Operation::gather, Operation::reduce, Operation::allreduce}) {
        const Machine machine = test::machine("mesh:3x5", PortLimit(2));
        Collective collective;
        collective.operation = operation;
        collective.root = operation == Operation::allreduce ? 0 : 7;
        const Algorithm& algorithm = operation == Operation::allreduce
                                         ? algorithm_named("reduce-broadcast", machine, collective, {})
                                         : best_algorithm(machine, collective, {});
        ASSERT_NE(algorithm.way, Way::program);
        Schedule schedule;
        RunOptions options = options_for(1, &schedule);
        options.engine = EngineKind::lockstep;
        const Verdict replayed = run_algorithm(algorithm, machine, collective, {}, {}, options).verdict;
        Job job = job_following(schedule, machine, judged_collective(algorithm, collective, {}));
        const test::Outcome followed = test::run(job);
        EXPECT_EQ(told(followed.verdict, job), told(replayed, job));
    }
}

// ---- what only rounds can tell

Program take_first(Node& self) {
    if (self.id() == 0)
        co_await self.receive();
    else
        co_await self.send_to(0, Packet(0));
}

TEST(FreeRunning, LeavesToLockstepWhichOfSeveralSendersIsFirst) {
    const Job job = test::job_of_all(test::machine("complete:3", PortLimit::all()), take_first);
    for (const unsigned threads : {1U, 2U, 8U}) EXPECT_FALSE(FreeRunning(job, options_for(threads)).run()) << threads;
    EXPECT_EQ(run(job, options_for(2)).engine, EngineKind::lockstep);
}

Program take_first_when_told(Node& self) {  // the second letter comes when the program is over
    if (self.id() == 0) co_await self.receive();
    if (self.id() == 1) {
        co_await self.send_to(0, Packet(0));
        co_await self.send_to(2, Packet(0));
    }
    if (self.id() == 2) {
        co_await self.receive_from(1);
        co_await self.send_to(0, Packet(0));
    }
}

TEST(FreeRunning, CountsSendersThatWriteToNodesThatHaveEnded) {
    const Job job = test::job_of_all(test::machine("complete:3", PortLimit::all()), take_first_when_told);
    for (const unsigned threads : {1U, 2U, 8U}) EXPECT_FALSE(FreeRunning(job, options_for(threads)).run()) << threads;
}

Program ask_whether_anything_came(Node& self) {
    co_await self.next_round();
    if (!self.has_arrival()) co_await self.next_round();
}

TEST(FreeRunning, LeavesToLockstepWhetherAMessageHasCome) {
    const Job job = test::job_of_all(test::machine("line:2"), ask_whether_anything_came);
    EXPECT_FALSE(FreeRunning(job, options_for(2)).run());
}

TEST(FreeRunning, LetsANodeThatMailStartsHaveOneSenderOnly) {
    const auto program = [](Node& self) { return take_first(self); };
    const Job one = test::job(test::machine("complete:3", PortLimit::all()), program, {1});
    EXPECT_TRUE(FreeRunning(one, options_for(2)).run());
    const Job two = test::job(test::machine("complete:3", PortLimit::all()), program, {1, 2});
    EXPECT_FALSE(FreeRunning(two, options_for(2)).run());
}

/// Nodes 1 and 2 send to node 0, which sends on to node 3 without receiving.
Program pass_on_unasked(Node& self) {
    if (self.id() == 3) co_return;
    for (NodeId i = 0; i < 3 * self.id(); ++i) co_await self.next_round();
    co_await self.send_to(self.id() == 0 ? 3 : 0, Packet(0));
}

TEST(FreeRunning, BeginsInTheRoundAfterTheMailThatStartsANode) {
    Job job = test::job(test::machine("complete:4", PortLimit::all()), pass_on_unasked, {2});
    job.payload = false;
    Schedule recorded;
    ASSERT_TRUE(FreeRunning(job, options_for(1, &recorded)).run());
    EXPECT_EQ(moves(recorded), moves(test::run(job).schedule));
    EXPECT_EQ(recorded.rounds(), 8U) << "six rounds pass before the first message";
    job.starters = {1, 2};
    EXPECT_FALSE(FreeRunning(job, options_for(1)).run()) << "whose mail is first?";
}

/// Node 1 waits five rounds for what comes in the first, and answers.
Program answer_late(Node& self) {
    if (self.id() == 0) {
        co_await self.send(test::rightwards, Packet(0));
        co_await self.receive();
    } else {
        for (int i = 0; i < 5; ++i) co_await self.next_round();
        co_await self.receive();
        co_await self.send(test::leftwards, Packet(0));
    }
}

TEST(FreeRunning, DoesNotGoBackToTheRoundOfOldMail) {
    const Job job = test::job_of_all(test::machine("line:2"), answer_late);
    Schedule recorded;
    ASSERT_TRUE(FreeRunning(job, options_for(1, &recorded)).run());
    EXPECT_EQ(moves(recorded), moves(test::run(job).schedule));
    EXPECT_EQ(recorded.rounds(), 6U);
}

/// Nodes `near` and `other` send to `to`, which takes so many messages by its port 0.
Job by_one_port(const Machine& machine, NodeId to, NodeId near, NodeId other, int taken) {
    Job job = test::job_of_all(machine, [=](Node& self) -> Program {
        if (self.id() == near || self.id() == other) co_await self.send_to(to, Packet(0));
        if (self.id() == near) co_await self.send_to(other, Packet(0));
        if (self.id() == to)
            for (int i = 0; i < taken; ++i) co_await self.receive(Port(0));
    });
    job.payload = false;
    return job;
}

TEST(FreeRunning, LeavesToLockstepTheFirstMessageByAPortOfDistantSenders) {
    const Machine line = test::wormhole(test::machine("line:4", PortLimit::all()));
    const Machine ring = test::wormhole(test::machine("ring:3", PortLimit::all()));
    for (const int taken : {1, 2})
        EXPECT_FALSE(FreeRunning(by_one_port(line, 3, 2, 0, taken), options_for(1)).run()) << taken;
    const NodeId left = ring.topology->across(0, 0).node;
    EXPECT_TRUE(FreeRunning(by_one_port(ring, 0, left, 3 - left, 1), options_for(1)).run()) << "by another port";
}

Program send_without_receiving(Node& self) {
    for (Port port = 0; port < 4; ++port) co_await self.send(port, Packet(0));
    for (Port port = 0; port < 4; ++port) co_await self.receive(port);
}

TEST(FreeRunning, LeavesToLockstepASendOfAnUnreceivedPacket) {
    Job job = test::job_of_all(test::machine("torus:4x4", PortLimit::all()), send_without_receiving);
    EXPECT_FALSE(FreeRunning(job, options_for(2)).run());
    job.payload = false;  // no bytes that could be there or not
    EXPECT_EQ(told(FreeRunning(job, options_for(2)).run()->verdict, job), told(test::run(job).verdict, job));
    job.payload = true;
    job.program = [](Node& self) -> Program {
        if (self.id() != 0) co_await self.send_to(0, PacketSet::range(self.id(), self.id() + 1));
    };
    job.machine = test::machine("complete:4", PortLimit::all());
    job.collective = {Operation::broadcast, 2, 8};
    EXPECT_THROW((void)FreeRunning(job, options_for(1)).run(), ProgramError) << "a broadcast has one packet";
}

Program send_the_same_twice(Node& self) {
    const PacketSet own = PacketSet::range(self.id(), self.id() + 1);
    for (int i = 0; i < 2; ++i) {
        co_await self.send_to(1 - self.id(), own);
        co_await self.receive_from(1 - self.id());
    }
}

TEST(FreeRunning, LeavesNoTraceOfARunThatLockstepMakesInstead) {
    Job job = test::job_of_all(test::machine("line:2"), send_the_same_twice);
    job.collective = {Operation::allgather, 0, 8};
    Schedule recorded;
    const RunResult result = run(job, options_for(2, &recorded));
    EXPECT_EQ(result.engine, EngineKind::lockstep) << "of a packet that comes twice it matters which one goes on";
    EXPECT_EQ(moves(recorded), moves(test::run(job).schedule));
}

TEST(FreeRunning, RecordsARoundByItsSendersAndTheirPortsWhateverTheOrderInWhichTheySent) {
    const Machine torus = test::machine("torus:4x4", PortLimit::all());
    std::vector<NodeId> last_first(16);
    for (NodeId v = 0; v < 16; ++v) last_first[v] = 15 - v;
    Job all_send = test::job(
        torus,
        [](Node& self) -> Program {
            for (Port port = 4; port-- > 0;) co_await self.send(port, Packet(0));
        },
        last_first);
    all_send.payload = false;
    for (const unsigned threads : {1U, 2U, 8U}) {
        Schedule recorded;
        (void)FreeRunning(all_send, options_for(threads, &recorded)).run();
        ASSERT_EQ(recorded.size(), 64U);
        for (std::size_t i = 0; i < recorded.size(); ++i) {
            EXPECT_EQ(recorded.transfer(i).from, i / 4) << threads;
            EXPECT_EQ(recorded.transfer(i).route.front(), i % 4) << threads;
        }
    }
}

TEST(FreeRunning, NeedsNoRoundsForBundlesWithoutBytes) {
    const Machine machine = test::machine("hypercube:3");
    const Collective collective{Operation::scatter, 0, 8};
    Payload none;
    none.copied = false;
    const RunResult result =
        run_algorithm(best_algorithm(machine, collective, {}), machine, collective, {}, none, options_for(1));
    EXPECT_EQ(result.engine, EngineKind::free);
    EXPECT_TRUE(result.verdict.lawful() && result.verdict.delivered);
}

/// Two steps of an exchange: in the second a message has two packets.
Program exchange_twice_in_bundles(Node& self) {
    PacketSet held = PacketSet::range(self.id(), self.id() + 1);
    for (Port port = 0; port < 2; ++port) {
        co_await self.send(port, held);
        const Arrival arrival = co_await self.receive(port);
        held.add(arrival.packets());
    }
}

TEST(FreeRunning, HasLargeRoundsJudgedByAllThreads) {
    Job lawless = test::job_of_all(test::machine("hypercube:13"), exchange_twice_in_bundles);
    lawless.machine.combining = false;
    lawless.collective = Collective::allgather(8);
    lawless.payload = false;
    for (const Job& job : {sbt("hypercube:15"), lawless}) {  // rounds of up to 6435 and of 8192 messages
        const std::string in_lockstep = told(test::run(job).verdict, job);
        for (const unsigned threads : {1U, 2U, 3U}) {
            const std::optional<RunResult> result = FreeRunning(job, options_for(threads)).run();
            ASSERT_TRUE(result);
            EXPECT_EQ(told(result->verdict, job), in_lockstep) << threads;
        }
    }
}

Program send_back(Node& self) {
    const PacketSet own = PacketSet::range(0, 1);
    if (self.id() == 0) {
        co_await self.send_to(1, own);
        co_await self.receive_from(1);
    } else {
        co_await self.receive_from(0);
        co_await self.send_to(0, own);
    }
}

TEST(FreeRunning, LeavesToLockstepASendOfAnOwnPacketThatCameBack) {
    Job job = test::job_of_all(test::machine("line:2"), send_back);
    job.collective = {Operation::alltoall, 0, 8};
    EXPECT_FALSE(FreeRunning(job, options_for(2)).run());
    EXPECT_EQ(run(job, options_for(2)).engine, EngineKind::lockstep);
}

TEST(AnEngine, IsTheRequestedOneAndHasAName) {
    EXPECT_EQ(name(EngineKind::lockstep), "lockstep");
    EXPECT_EQ(name(EngineKind::free), "free");
    for (const EngineKind engine : both_engines) {
        RunOptions options = options_for(1);
        options.engine = engine;
        EXPECT_EQ(run(sbt("hypercube:2"), options).engine, engine);
    }
}

}  // namespace
}  // namespace kport
