/// @file programs_test.cpp   The guarantees to node programs: receiving, rounds, calls of other programs, sends, memory.
#include <sys/resource.h>

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/engine/order.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::job;
using test::job_of_all;
using test::leftwards;
using test::machine;
using test::Outcome;
using test::rightwards;
using test::run;
using test::text;
using testing::ElementsAre;

/// The notes of one node during a run. Programs share nothing; the test observes one of them.
using Notes = std::vector<std::string>;

std::string told(const Arrival& arrival, Round now) {
    return fmt::format("{} by {} in {} at {}", arrival.from, arrival.port, arrival.round, now);
}

// ----------------------------------------------------------------------------------------------------------- receiving

/// All others send to node 0, higher numbers first; node 0 notes what it receives.
Program many_to_one(Node& self, Notes& notes) {
    if (self.id() == 0) {
        for (NodeId i = 1; i < self.topology().nodes(); ++i) {
            const Arrival arrival = co_await self.receive();
            notes.push_back(told(arrival, self.round()));
        }
        co_return;
    }
    if (self.id() % 2 == 1) co_await self.next_round();
    co_await self.send_to(0, Packet(0));
}

TEST(Receive, GivesTheEarliestRoundFirstAndInARoundTheLowestSender) {
    Notes notes;
    const auto program = [&](Node& self) { return many_to_one(self, notes); };
    run(job_of_all(machine("complete:6", PortLimit::all()), program));
    EXPECT_THAT(notes, ElementsAre("2 by 1 in 1 at 2", "4 by 3 in 1 at 2", "1 by 0 in 2 at 3", "3 by 2 in 2 at 3",
                                   "5 by 4 in 2 at 3"));
}

TEST(Receive, GivesTheLowestSenderFirstAlsoToANodeThatThisMailStarts) {
    Notes notes;
    Job all_but_0 = job(machine("complete:6", PortLimit::all()), [&](Node& self) { return many_to_one(self, notes); },
                        {5, 4, 3, 2, 1});
    all_but_0.payload = false;
    run(all_but_0);
    EXPECT_THAT(notes, ElementsAre("2 by 1 in 1 at 2", "4 by 3 in 1 at 2", "1 by 0 in 2 at 3", "3 by 2 in 2 at 3",
                                   "5 by 4 in 2 at 3"));
}

TEST(Receive, WaitsUntilTheRoundAfterTheTransfer) {
    Notes notes;
    const auto program = [&](Node& self) -> Program {
        if (self.id() == 0) co_await self.send(rightwards, Packet(0));
        const bool early = self.has_arrival();
        if (self.id() == 1) {
            const Arrival arrival = co_await self.receive();
            notes.push_back(told(arrival, self.round()) + (early ? " early" : ""));
        }
    };
    run(job_of_all(machine("line:2"), program));
    EXPECT_THAT(notes, ElementsAre("0 by 0 in 1 at 2"));
}

TEST(Receive, CarriesThePacketThatWasSent) {
    PacketId received = 0;
    const auto program = [&](Node& self) -> Program {
        if (self.id() == 0) {
            co_await self.send(rightwards, Packet(1));
        } else {
            const Arrival arrival = co_await self.receive();
            received = arrival.packet().id();
        }
    };
    Job scatter = job(machine("line:2"), program, {0});
    scatter.promise.operation = Operation::scatter;
    run(scatter);
    EXPECT_EQ(received, 1U);
}

/// Node 1 of the line receives by the right port first, even if a message waits at the left one.
Program right_before_left(Node& self, Notes& notes) {
    if (self.id() == 0) co_await self.send(rightwards, Packet(0));
    if (self.id() == 2) {
        co_await self.next_round();
        co_await self.send(leftwards, Packet(0));
        co_await self.send(leftwards, Packet(0));
    }
    if (self.id() == 1) {
        for (const Port port : {rightwards, rightwards, leftwards}) {
            const Arrival arrival = co_await self.receive(port);
            notes.push_back(told(arrival, self.round()));
        }
        notes.emplace_back(self.has_arrival() ? "more" : "no more");
    }
}

TEST(Receive, ByAPortLeavesTheOthersWaiting) {
    Notes notes;
    run(job_of_all(machine("line:3"), [&](Node& self) { return right_before_left(self, notes); }));
    EXPECT_THAT(notes, ElementsAre("2 by 1 in 2 at 3", "2 by 1 in 3 at 4", "0 by 0 in 1 at 4", "no more"));
}

TEST(Receive, GivesASleeperTheRightRoundInAnyOrder) {
    SeededOrder order(1);
    for (Order* const chosen : {static_cast<Order*>(nullptr), static_cast<Order*>(&order)}) {
        Notes notes;
        const auto program = [&](Node& self) -> Program {
            if (self.id() != 0) {
                const Arrival arrival = co_await self.receive();
                notes.push_back(told(arrival, self.round()));
            }
            if (self.id() < 2) co_await self.send(rightwards, Packet(0));
        };
        RunOptions options;
        options.order = chosen;
        EXPECT_TRUE(run_lockstep(job(machine("line:3"), program, {0}), options).verdict.delivered);
        EXPECT_THAT(notes, ElementsAre("0 by 0 in 1 at 2", "1 by 0 in 2 at 3"));
    }
}

TEST(Receive, OfAMessageToAnEndedProgramNeverHappens) {
    const auto program = [](Node& self) -> Program {
        if (self.id() == 0) {
            co_await self.send(rightwards, Packet(0));
            co_await self.send(rightwards, Packet(0));
            co_await self.send(rightwards, Packet(0));
        } else {
            co_await self.receive();
        }
    };
    const Outcome outcome = run(job(machine("line:2"), program, {0}));
    EXPECT_EQ(text(outcome.schedule), "1: 0>1 | 2: 0>1 | 3: 0>1");
    EXPECT_EQ(outcome.verdict.violation_count, 2U);  // NODUP twice, and nothing else
}

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
        hasty.promise.source = source;
        return test::text(run(hasty).verdict, *hasty.machine.topology);
    };
    EXPECT_EQ(told(0, {0, 1}), told(0, {1, 0}));
    EXPECT_EQ(told(3, {3, 2}), told(3, {2, 3}));
}

/// The breach that a strict machine tells of when node 1 of a line sends both ways together.
template <class Make>
Violation told_to_wait(const Promise& promise, const Make& make) {
    Job both_ways =
        job(test::strict(machine("line:3")),
            [&](Node& self) -> Program {
                if (self.id() != 1) co_return;
                const auto what = make(self);
                const std::vector<SendRequest> sends{SendRequest(leftwards, what), SendRequest(rightwards, what)};
                co_await self.send_together(sends);
            },
            {1});
    both_ways.promise = promise;
    both_ways.payload = false;
    std::optional<Violation> told;
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        RunOptions options;
        options.engine = engine;
        for (const Violation& violation : kport::run(both_ways, options).verdict.violations)
            if (violation.breach == Breach::would_wait_send) {
                EXPECT_TRUE(!told || *told == violation) << "the engines differ";
                told = violation;
            }
    }
    return told.value_or(Violation{});
}

TEST(AStrictMachine, TellsOfSendsTogetherOnceHoweverManyRoundsTheyTake) {
    const Job three_at_once =
        job(test::strict(machine("complete:4")),
            [](Node& self) -> Program {
                if (self.id() != 0) co_return;
                const std::vector<SendRequest> sends{SendRequest(0, Packet(0)), SendRequest(1, Packet(0)),
                                                     SendRequest(2, Packet(0))};
                co_await self.send_together(sends);
            },
            {0});
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        RunOptions options;
        options.engine = engine;
        const Verdict verdict = kport::run(three_at_once, options).verdict;
        EXPECT_EQ(verdict.metrics.rounds, 3U);
        EXPECT_EQ(verdict.violation_count, 1U);
    }
}

TEST(AStrictMachine, NamesTheLowestPacketOfWhatWouldHaveToWait) {
    const auto packet_of = [](Operation operation, const auto& make) {
        const Violation told = told_to_wait({1, 8, operation}, make);
        EXPECT_EQ(std::tuple(told.node, told.port, told.other), std::tuple(NodeId{1}, rightwards, NodeId{2}));
        return told.packet;
    };
    EXPECT_EQ(packet_of(Operation::scatter, [](Node&) { return PacketSet::range(2, 3); }), 2U);
    EXPECT_EQ(packet_of(Operation::alltoall,
                        [](Node&) {
                            return PacketSet(PacketBlock{0, 2, 2, 1});
                        }),
              3U)
        << "row 1, column 0";
    EXPECT_EQ(packet_of(Operation::alltoall, [](Node&) { return Packet(5); }), 5U);
    EXPECT_EQ(packet_of(Operation::allreduce, [](Node& self) { return self.contribution(); }), 1U);
}

TEST(Programs, ThatGiveTheirResultTwiceFreeTheFirst) {
    Job twice = job_of_all(machine("line:1"), [](Node& self) -> Program {
        for (int i = 0; i < 2; ++i) self.result(self.contribution());
        co_return;
    });
    twice.promise = {0, std::uint64_t{1} << 16, Operation::allreduce};  // missed where leaks are looked for
    EXPECT_TRUE(run(twice).verdict.delivered);
}

TEST(Programs, ThatEndFreeTheMailThatTheyDidNotReceive) {
    Job three = job_of_all(machine("complete:3", PortLimit::all()), [](Node& self) -> Program {
        if (self.id() == 0)
            co_await self.receive_from(2);
        else
            co_await self.send_to(0, PacketSet::range(self.id(), self.id() + 1));
    });
    three.promise = {0, std::uint64_t{1} << 16, Operation::gather};  // missed where leaks are looked for
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        RunOptions options;
        options.engine = engine;
        const RunResult result = kport::run(three, options);
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
