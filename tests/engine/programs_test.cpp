/// @file programs_test.cpp   The guarantees to node programs: rounds, starters, calls of other programs, bytes and memory.
#include <sys/resource.h>

#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/notes.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::job;
using test::job_of_all;
using test::leftwards;
using test::machine;
using test::Notes;
using test::on;
using test::Outcome;
using test::rightwards;
using test::run;
using test::text;
using test::told;
using testing::ElementsAre;

// -------------------------------------------------------------------------------------------------------------- rounds

TEST(NextRound, LetsOneRoundPass) {
    std::vector<Round> rounds;
    const auto program = [&](Node& self) -> Program {
        for (int i = 0; i < 4; ++i) {
            rounds.push_back(self.round());
            co_await self.next_round();
        }
    };
    const Outcome outcome = run(job(machine("line:1"), program, {0}));
    EXPECT_THAT(rounds, ElementsAre(1U, 2U, 3U, 4U));
    EXPECT_EQ(outcome.verdict.metrics.rounds, 0U);  // r counts up to the last transfer
}

TEST(NextRound, CountsSilentRoundsBeforeATransfer) {
    const auto program = [](Node& self) -> Program {
        for (int i = 0; self.id() == 0 && i < 3; ++i) co_await self.next_round();
        if (self.id() == 0) co_await self.send(rightwards, Packet(0));
    };
    const Outcome outcome = run(job(machine("line:2"), program, {0}));
    EXPECT_EQ(text(outcome.schedule), "4: 0>1");
    EXPECT_EQ(outcome.verdict.metrics.rounds, 4U);
}

TEST(AStarter, ThatWaitsForARoundIsMadeInItAndSendsTheSame) {
    std::vector<Round> made;
    const auto program = [&](Node& self) -> Program {
        made.push_back(self.round());
        return [](Node& node) -> Program {
            if (node.id() == 0) co_await node.until(4);
            if (node.id() < 2) co_await node.send(rightwards, Packet(0));
        }(self);
    };
    Job at_once = job(machine("line:3"), program, {0});
    Job later = at_once;
    later.starters_wait_until = {4};
    const Outcome expected = run(at_once);
    EXPECT_THAT(made, ElementsAre(1U, 5U, 6U));
    made.clear();
    const Outcome outcome = run(later);
    EXPECT_THAT(made, ElementsAre(4U, 5U, 6U));
    EXPECT_EQ(text(outcome.schedule), "4: 0>1 | 5: 1>2");
    EXPECT_EQ(text(outcome.schedule), text(expected.schedule));
    EXPECT_EQ(text(outcome.verdict, *later.machine.topology), text(expected.verdict, *later.machine.topology));
}

TEST(AStarter, ThatIsToWaitMayBeStartedByAMessageBefore) {
    const auto program = [](Node& self) -> Program {
        if (self.id() == 1) {
            const Arrival arrival = co_await self.receive();
            (void)arrival;
            co_await self.until(5);
        }
        if (self.id() < 2) co_await self.send(rightwards, Packet(0));
    };
    Job both = job(machine("line:3"), program, {0, 1});
    both.starters_wait_until = {1, 5};
    EXPECT_EQ(text(run(both).schedule), "1: 0>1 | 5: 1>2");
}

Outcome run_on(EngineKind engine, const Job& job) {
    Outcome outcome;
    RunOptions options = on(engine);
    options.per_round = true;
    options.recorded_schedule = &outcome.schedule;
    outcome.verdict = kport::run(job, options).verdict;
    return outcome;
}

/// Programs of nodes of line:3 that do something before they wait, as the job says that they do.
const std::vector<Program (*)(Node&)>& programs_that_act_first() {
    static const std::vector<Program (*)(Node&)> all = {
        [](Node& self) -> Program {
            if (self.id() == 0) co_await self.send(rightwards, Packet(0));
            if (self.id() != 0) co_await self.receive();
            if (self.id() == 1) co_await self.send(rightwards, Packet(0));
        },
        [](Node& self) -> Program {
            if (self.id() == 0) co_await self.next_round();
            if (self.id() == 0) co_await self.next_round();
            if (self.id() != 0) co_await self.receive();
            if (self.id() < 2) co_await self.send(rightwards, Packet(0));
        },
        [](Node& self) -> Program {
            if (self.id() == 0) co_await self.until(2);
            if (self.id() != 0) co_await self.receive();
            if (self.id() < 2) co_await self.send(rightwards, Packet(0));
        },
        [](Node& self) -> Program {
            if (self.id() == 0) co_await self.until(self.round() + 5);
            if (self.id() != 0) co_await self.receive();
            if (self.id() < 2) co_await self.send(rightwards, Packet(0));
        },
    };
    return all;
}

TEST(AStarter, ThatDoesNotWaitForItsRoundIsCountedTheSameByBothEngines) {
    for (const auto program : programs_that_act_first())
        for (const Round starts : {2U, 3U, 4U}) {
            Job lies = job(machine("line:3"), program, {0});
            lies.starters_wait_until = {starts};
            const Outcome expected = run_on(EngineKind::lockstep, lies);
            const Outcome outcome = run_on(EngineKind::free, lies);
            EXPECT_EQ(text(outcome.schedule), text(expected.schedule));
            EXPECT_EQ(text(outcome.verdict, *lies.machine.topology), text(expected.verdict, *lies.machine.topology));
        }
}

TEST(AStarter, ThatDoesNotWaitForItsRoundNeedsRoundsInAFreeRun) {
    for (const auto program : programs_that_act_first()) {
        Job lies = job(machine("line:3"), program, {0});
        lies.starters_wait_until = {4};
        const RunResult result = kport::run(lies, on(EngineKind::free));
        EXPECT_EQ(result.engine, EngineKind::lockstep);
        EXPECT_EQ(result.needs_rounds, NeedsRounds::starts);
    }
}

TEST(AStarter, ThatWaitsAsTheJobSaysRunsFree) {
    const auto program = [](Node& self) -> Program {
        if (self.id() == 0) co_await self.until(4);
        if (self.id() != 0) {
            const Arrival arrival = co_await self.receive();
            (void)arrival;
        }
        if (self.id() < 2) co_await self.send(rightwards, Packet(0));
    };
    Job waits = job(machine("line:3"), program, {0});
    waits.starters_wait_until = {4};
    EXPECT_EQ(kport::run(waits, on(EngineKind::free)).engine, EngineKind::free);
}

TEST(OtherNodes, ThatDoNotBeginWithAReceiveAreCountedTheSameByBothEngines) {
    // Node 1 sends before it receives, waits for a round, or ends at once: it starts with its first message all the same.
    const std::vector<Program (*)(Node&)> programs = {
        [](Node& self) -> Program {
            if (self.id() == 0) co_await self.until(3);
            if (self.id() < 2) co_await self.send(rightwards, Packet(0));
        },
        [](Node& self) -> Program {
            if (self.id() == 0) co_await self.until(3);
            if (self.id() == 1) co_await self.next_round();
            if (self.id() < 2) co_await self.send(rightwards, Packet(0));
        },
        [](Node& self) -> Program {
            if (self.id() == 0) co_await self.until(3);
            const Round begun = self.round();
            if (self.id() != 0) co_await self.receive_from(self.id() - 1);
            if (self.id() == 1) co_await self.until(begun + 3);
            if (self.id() < 2) co_await self.send(rightwards, Packet(0));
        },
        [](Node& self) -> Program {
            if (self.id() == 0) co_await self.until(3);
            if (self.id() == 1) co_await self.receive_from(self.round() == 1 ? 2 : 0);
            if (self.id() < 2) co_await self.send(rightwards, Packet(0));
        },
    };
    for (const auto program : programs) {
        Job lies = job(machine("line:3"), program, {0});
        lies.others_receive = true;
        const RunResult result = kport::run(lies, on(EngineKind::free));
        EXPECT_EQ(result.engine, EngineKind::lockstep);
        EXPECT_EQ(result.needs_rounds, NeedsRounds::starts);
        EXPECT_EQ(result.verdict.metrics.rounds, run_on(EngineKind::lockstep, lies).verdict.metrics.rounds);
    }
}

/// A reduction to node 0 of line:3 that node 2 begins in round 3. Node `v` does something before it waits.
Job reduction_in_which(NodeId v, void (*acts)(Node&)) {
    const auto program = [=](Node& self) -> Program {
        if (self.id() == v) acts(self);
        Value sum = self.contribution();
        if (self.id() == 2) {
            co_await self.until(3);
        } else {
            const Arrival arrival = co_await self.receive_from(self.id() + 1);
            sum = self.fold(sum, arrival.value());
        }
        if (self.id() == 0)
            self.result(sum);
        else
            co_await self.send(leftwards, sum);
    };
    Job reduction = job(machine("line:3"), program, {2});
    reduction.collective = Collective::reduce(0, 8);
    reduction.starters_wait_until = {3};
    reduction.others_receive = true;
    return reduction;
}

/// The verdict, or how the program failed.
std::string end_of(EngineKind engine, const Job& job) {
    try {
        return text(run_on(engine, job).verdict, *job.machine.topology);
    } catch (const ProgramError& error) {
        return error.what();
    }
}

TEST(ANodeThatIsToWait, AndBreaksARuleOrFailsBeforeIsToldWithTheSameRoundByBothEngines) {
    const std::vector<void (*)(Node&)> acts = {
        [](Node& self) { (void)self.fold(self.contribution(), self.contribution()); },
        [](Node& self) { (void)self.merge(self.contribution(), self.contribution()); },
        [](Node& self) { (void)self.whole(self.contribution()); },
        [](Node& self) { self.result(self.contribution()); },
        [](Node&) { throw std::runtime_error("fails at once"); },
    };
    for (const NodeId v : {1U, 2U})
        for (const auto act : acts) {
            const Job early = reduction_in_which(v, act);
            EXPECT_EQ(end_of(EngineKind::free, early), end_of(EngineKind::lockstep, early)) << v;
        }
}

TEST(ANodeThatIsToWait, RunsFreeWhereWhatItDoesBeforeBreaksNoRule) {
    for (const NodeId v : {1U, 2U}) {
        const auto folds = [](Node& self) { (void)self.runs(self.contribution()); };
        const RunResult result = kport::run(reduction_in_which(v, folds), on(EngineKind::free));
        EXPECT_EQ(result.engine, EngineKind::free);
        EXPECT_TRUE(result.verdict.lawful());
    }
}

TEST(Starters, HaveNoEffectWhereAllNodesStart) {
    const auto program = [](Node& self) -> Program {
        if (self.id() < 2) co_await self.send(rightwards, Packet(0));
    };
    for (const EngineKind engine : both_engines) {
        Job all = job(machine("line:3"), program, {0, 1});
        all.starters_wait_until = {5, 7};
        all.all_start = true;
        EXPECT_EQ(text(run_on(engine, all).schedule), "1: 0>1 1>2");
    }
}

TEST(MachineOfOneNode, RunsItsProgramAndNeedsNoMessage) {
    for (const char* spec : {"line:1", "ring:1", "hypercube:0", "complete:1", "cbt:0", "mesh:1x1", "torus:1x1x1"}) {
        int runs = 0;
        const auto program = [&](Node& self) -> Program {
            ++runs;
            co_await self.next_round();
        };
        const Outcome outcome = run(job(machine(spec), program, {0}));
        EXPECT_EQ(runs, 1) << spec;
        EXPECT_TRUE(outcome.verdict.delivered && outcome.verdict.lawful()) << spec;
        EXPECT_EQ(outcome.verdict.holders, 1U) << spec;
        EXPECT_EQ(outcome.verdict.metrics.rounds, 0U) << spec;
    }
}

TEST(Starters, RunOnceAndAllOthersAtTheirFirstMessage) {
    std::vector<int> runs(3, 0);
    const auto program = [&](Node& self) -> Program {
        ++runs[self.id()];
        if (self.id() == 0 && self.round() == 1) co_await self.send(rightwards, Packet(0));
    };
    run(job(machine("line:3"), program, {0, 0}));
    EXPECT_THAT(runs, ElementsAre(1, 1, 0));
    Job all = job_of_all(machine("line:3"), program);
    run(all);
    EXPECT_THAT(runs, ElementsAre(2, 2, 1));
}

// --------------------------------------------------------------------------------------------- programs await programs

Program nothing(Node&) { co_return; }

Program a_million_calls(Node& self, int& calls) {
    for (int i = 0; i < 1'000'000; ++i) {
        co_await nothing(self);
        ++calls;
    }
}

TEST(Calls, AMillionOfThemNeedNoMachineStack) {
    int calls = 0;
    run(job(machine("line:1"), [&](Node& self) { return a_million_calls(self, calls); }, {0}));
    EXPECT_EQ(calls, 1'000'000);
}

Program descend(Node& self, int depth, int& deepest) {
    ++deepest;
    if (depth > 1) co_await descend(self, depth - 1, deepest);
}

TEST(Calls, NestDeeply) {
    int deepest = 0;
    run(job(machine("line:1"), [&](Node& self) { return descend(self, 2000, deepest); }, {0}));
    EXPECT_EQ(deepest, 2000);
}

Program send_by(Node& self, Port port) { co_await self.send(port, Packet(0)); }

Program receive_into(Node& self, Notes& notes) {
    const Arrival arrival = co_await self.receive();
    notes.push_back(told(arrival, self.round()));
}

TEST(Calls, MaySendAndReceiveAndWaitForTheirCaller) {
    Notes notes;
    const auto program = [&](Node& self) -> Program {
        if (self.id() == 1) {
            co_await send_by(self, leftwards);
            co_await send_by(self, rightwards);
            notes.push_back(fmt::format("sent at {}", self.round()));
        } else {
            co_await receive_into(self, notes);
        }
    };
    const Outcome outcome = run(job(machine("line:3"), program, {1}));
    EXPECT_EQ(text(outcome.schedule), "1: 1>0 | 2: 1>2");
    EXPECT_THAT(notes, ElementsAre("1 by 1 in 1 at 2", "sent at 2", "1 by 0 in 2 at 3"));
}

TEST(Calls, MayBeMadeFirstAndAwaitedLater) {
    const auto program = [](Node& self) -> Program {
        if (self.id() != 1) co_return;
        Program later = send_by(self, rightwards);
        Program never = send_by(self, rightwards);
        co_await send_by(self, leftwards);
        co_await std::move(later);
    };
    const Outcome outcome = run(job(machine("line:3"), program, {1}));
    EXPECT_EQ(text(outcome.schedule), "1: 1>0 | 2: 1>2");
}

TEST(APacketThatIsNotHeld, IsSentEquallyForAnyOrderOfRuns) {
    // A node that sends in the round of its packet's arrival sends the old or the new bytes, depending on the senders' numbers.
    const auto told = [](NodeId source, const std::vector<NodeId>& starters) {
        Job hasty = job(
            machine("line:4"),
            [=](Node& self) -> Program {
                const NodeId next = source == 0 ? self.id() + 1 : self.id() - 1;
                if (self.id() == starters[0] || self.id() == starters[1]) co_await self.send_to(next, Packet(0));
            },
            starters);
        hasty.collective.root = source;
        return test::text(run(hasty).verdict, *hasty.machine.topology);
    };
    EXPECT_EQ(told(0, {0, 1}), told(0, {1, 0}));
    EXPECT_EQ(told(3, {3, 2}), told(3, {2, 3}));
}
// --------------------------------------------------------------------------------------------------------------- memory

/// A frame of more than a kilobyte in every node of a long line.
Program pass_on_with_a_large_frame(Node& self, bool& intact) {
    std::array<NodeId, 200> large{};
    large.fill(self.id());
    if (self.id() != 0) co_await self.receive();
    if (self.id() + 1 < self.topology().nodes()) co_await self.send(rightwards, Packet(0));
    intact = intact && large.front() == self.id() && large.back() == self.id();
}

long peak_kilobytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

TEST(Programs, ThatGiveTheirResultTwiceFreeTheFirst) {
    Job twice = job_of_all(machine("line:1"), [](Node& self) -> Program {
        for (int i = 0; i < 2; ++i) self.result(self.contribution());
        co_return;
    });
    twice.collective = {Operation::allreduce, 0, std::uint64_t{1} << 16};  // missed where leaks are looked for
    EXPECT_TRUE(run(twice).verdict.delivered);
}

TEST(Programs, ThatEndFreeTheMailThatTheyDidNotReceive) {
    Job three = job_of_all(machine("complete:3", PortLimit::all()), [](Node& self) -> Program {
        if (self.id() == 0)
            co_await self.receive_from(2);
        else
            co_await self.send_to(0, PacketSet::range(self.id(), self.id() + 1));
    });
    three.collective = {Operation::gather, 0, std::uint64_t{1} << 16};  // missed where leaks are looked for
    for (const EngineKind engine : both_engines) {
        const RunResult result = kport::run(three, on(engine));
        EXPECT_EQ(result.engine, engine);
        EXPECT_TRUE(result.verdict.lawful() && result.verdict.delivered);
    }
}

TEST(Memory, OfEndedProgramsIsUsedAgain) {
    bool intact = true;
    const Job line =
        job(machine("line:60000"), [&](Node& self) { return pass_on_with_a_large_frame(self, intact); }, {0});
    const long before = peak_kilobytes();
    const RunResult result = run_lockstep(line, {});
    EXPECT_TRUE(result.verdict.lawful() && intact);
    // 60 000 frames of 1.6 KB would be 96 MB.
    EXPECT_LT(peak_kilobytes() - before, 50'000);
}

}  // namespace
}  // namespace kport
