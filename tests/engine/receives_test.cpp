/// @file receives_test.cpp   What a program receives, in which order and in which round.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/engine/order.hpp"
#include "tests/engine/notes.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::job;
using test::job_of_all;
using test::leftwards;
using test::machine;
using test::Notes;
using test::Outcome;
using test::rightwards;
using test::run;
using test::text;
using test::told;
using testing::ElementsAre;

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
    scatter.collective.operation = Operation::scatter;
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

}  // namespace
}  // namespace kport
