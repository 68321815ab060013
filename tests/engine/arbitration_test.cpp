/// @file arbitration_test.cpp   The order of competing claims, and the rounds of sends (model.md section 8).
#include <array>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/engine/job.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::half_duplex;
using test::job;
using test::job_of_all;
using test::leftwards;
using test::machine;
using test::Outcome;
using test::rightwards;
using test::run;
using test::strict;
using test::text;
using test::wormhole;

/// Rounds and transfers of a run in which every node starts by itself and may send anything.
std::string moves(const Machine& machine, const ProgramFactory& program) {
    Job all = job_of_all(machine, program);
    all.payload = false;
    const test::Outcome outcome = run(all);
    EXPECT_TRUE(outcome.verdict.kept(Rule::ports) && outcome.verdict.kept(Rule::channel));
    return text(outcome.schedule);
}

// -------------------------------------------------------------------------------------------------- the fixed order

TEST(QueueOrder, LowerSenderFirstAmongClaimsOfOneRound) {
    const auto program = [](Node& self) -> Program {
        if (self.id() != 0) co_await self.send_to(0, Packet(0));
    };
    EXPECT_EQ(moves(machine("complete:4"), program), "1: 1>0 | 2: 2>0 | 3: 3>0");
    EXPECT_EQ(moves(machine("complete:4", PortLimit(2)), program), "1: 1>0 2>0 | 2: 3>0");
    EXPECT_EQ(moves(machine("complete:4", PortLimit::all()), program), "1: 1>0 2>0 3>0");
}

TEST(QueueOrder, IsAskedForWithOnePortOnlyWhileTwoMessagesAreForOneNode) {
    // Nodes 1 and 2 send to node 0 at once; later each node sends to the next one.
    const auto program = [](Node& self) -> Program {
        if (self.id() == 1 || self.id() == 2) co_await self.send_to(0, Packet(0));
        co_await self.until(5);
        co_await self.send_to((self.id() + 1) % self.nodes(), Packet(0));
    };
    for (const NodeId partition_nodes : {partition_nodes_default, NodeId{1}, NodeId{2}}) {
        std::vector<PhaseTime> phases;
        RunOptions options;
        options.phases = &phases;
        options.partition_nodes = partition_nodes;
        Job job = job_of_all(machine("complete:4"), program);
        job.payload = false;
        EXPECT_EQ(run_lockstep(job, options).verdict.metrics.transfers, 6U);
        std::set<Round> arbitrated;
        std::set<Round> accepted;
        for (const PhaseTime& time : phases) {
            if (time.phase == Phase::arbitrate) arbitrated.insert(time.round);
            if (time.phase == Phase::accept) accepted.insert(time.round);
        }
        EXPECT_EQ(arbitrated, (std::set<Round>{1, 2})) << partition_nodes;
        EXPECT_EQ(accepted, std::set<Round>{5}) << partition_nodes;
    }
}

TEST(QueueOrder, EarlierRoundBeforeLowerSender) {
    const auto program = [](Node& self) -> Program {
        if (self.id() == 1) co_await self.next_round();
        if (self.id() != 0) co_await self.send_to(0, Packet(0));
    };
    EXPECT_EQ(moves(machine("complete:4"), program), "1: 2>0 | 2: 3>0 | 3: 1>0");
}

TEST(QueueOrder, LowerPortFirstAmongClaimsOfOneSender) {
    // Two half duplex ports: node 1 receives by one of them, so only one of its two sends goes, whichever it asked first.
    const auto program = [](Node& self) -> Program {
        if (self.id() == 0) co_await self.send(rightwards, Packet(0));
        if (self.id() == 1) {
            co_await self.send(rightwards, Packet(0));
            co_await self.send(leftwards, Packet(0));
        }
    };
    EXPECT_EQ(moves(half_duplex(machine("ring:5", PortLimit(2))), program), "1: 0>1 1>0 | 2: 1>2");
}

TEST(QueueOrder, ALoserKeepsItsSendPortBusy) {
    const auto program = [](Node& self) -> Program {
        if (self.id() == 1) co_await self.send_to(0, Packet(0));
        if (self.id() == 2) {
            co_await self.send_to(0, Packet(0));
            co_await self.send_to(3, Packet(0));
        }
    };
    EXPECT_EQ(moves(machine("complete:4"), program), "1: 1>0 | 2: 2>0 | 3: 2>3");
    // With a second port the next send need not wait for the loser.
    EXPECT_EQ(moves(machine("complete:5", PortLimit(2)),
                    [](Node& self) -> Program {
                        if (self.id() == 1 || self.id() == 2) co_await self.send_to(0, Packet(0));
                        if (self.id() == 3) {
                            co_await self.send_to(0, Packet(0));
                            co_await self.send_to(4, Packet(0));
                        }
                    }),
              "1: 1>0 2>0 3>4 | 2: 3>0");
}

TEST(QueueOrder, ALoserIsGrantedAfterItsNodeHasEnded) {
    const auto program = [](Node& self) -> Program {
        if (self.id() == 3) co_await self.send_to(0, Packet(0));
        if (self.id() == 1 || self.id() == 2) {
            co_await self.send_to(0, Packet(0));
            co_await self.send_to(0, Packet(0));
        }
    };
    // 3 ends in round 1 with its claim open; from round 2 on it is the oldest.
    EXPECT_EQ(moves(machine("complete:4"), program), "1: 1>0 | 2: 2>0 | 3: 3>0 | 4: 1>0 | 5: 2>0");
}

TEST(QueueOrder, ABlockedPathBlocksNoOtherNode) {
    const auto program = [](Node& self) -> Program {
        if (self.id() == 0) co_await self.send_to(3, Packet(0));
        if (self.id() == 1) co_await self.send_to(6, Packet(0));
        if (self.id() == 4) co_await self.send_to(5, Packet(0));
    };
    EXPECT_EQ(moves(wormhole(machine("line:7")), program), "1: 0>3 4>5 | 2: 1>6");
}

TEST(QueueOrder, AnOlderClaimForTheSameChannelGoesBeforeANewerOne) {
    // Node 2 sends twice by the same port; its first claim loses round 1 and so stands before its second in round 2.
    const auto program = [](Node& self) -> Program {
        if (self.id() == 0 || self.id() == 1) co_await self.send_to(3, Packet(0));
        if (self.id() == 2) {
            co_await self.send_to(3, Packet(0));
            co_await self.next_round();
            co_await self.send_to(3, Packet(0));
        }
    };
    EXPECT_EQ(moves(machine("complete:4", PortLimit(2)), program), "1: 0>3 1>3 | 2: 2>3 | 3: 2>3");
}

TEST(QueueOrder, HalfDuplexPortsTakeTheLowerSendersClaims) {
    const auto everybody_to_the_right = [](Node& self) -> Program { co_await self.send(rightwards, Packet(0)); };
    EXPECT_EQ(moves(half_duplex(machine("ring:4")), everybody_to_the_right), "1: 0>1 2>3 | 2: 1>2 3>0");
    EXPECT_EQ(moves(half_duplex(machine("ring:5")), everybody_to_the_right), "1: 0>1 2>3 | 2: 1>2 3>4 | 3: 4>0");
    EXPECT_EQ(moves(half_duplex(machine("ring:4", PortLimit(2))), everybody_to_the_right), "1: 0>1 1>2 2>3 3>0");
}

// ----------------------------------------------------------------------------------------------------- sequential sends

Program send_to_all(Node& self) {
    if (self.id() == 0)
        for (Port port = 0; port < self.topology().ports(); ++port) co_await self.send(port, Packet(0));
}

TEST(SequentialSends, FillTheRoundsWithKSendsEach) {
    EXPECT_EQ(moves(machine("complete:5"), send_to_all), "1: 0>1 | 2: 0>2 | 3: 0>3 | 4: 0>4");
    EXPECT_EQ(moves(machine("complete:5", PortLimit(2)), send_to_all), "1: 0>1 0>2 | 2: 0>3 0>4");
    EXPECT_EQ(moves(machine("complete:5", PortLimit(3)), send_to_all), "1: 0>1 0>2 0>3 | 2: 0>4");
    EXPECT_EQ(moves(machine("complete:5", PortLimit(9)), send_to_all), "1: 0>1 0>2 0>3 0>4");
    EXPECT_EQ(moves(machine("complete:5", PortLimit::all()), send_to_all), "1: 0>1 0>2 0>3 0>4");
}

TEST(SequentialSends, DoNotOvertakeEachOther) {
    // The second send by the same port waits for the next round, and the third waits for the second.
    const auto program = [](Node& self) -> Program {
        if (self.id() == 0) {
            co_await self.send_to(1, Packet(0));
            co_await self.send_to(1, Packet(0));
            co_await self.send_to(2, Packet(0));
        }
    };
    EXPECT_EQ(moves(machine("complete:3", PortLimit::all()), program), "1: 0>1 | 2: 0>1 0>2");
    EXPECT_EQ(moves(strict(machine("complete:3", PortLimit::all())), program), "1: 0>1 | 2: 0>1 0>2");
}

TEST(SequentialSends, LetTheProgramContinueInTheRoundOfTheirStart) {
    const auto program = [](Node& self) -> Program {
        if (self.id() == 0) {
            co_await self.send_to(1, Packet(0));
            if (self.round() == 1) co_await self.send_to(2, Packet(0));
            if (self.round() == 2) co_await self.send_to(3, Packet(0));
        }
    };
    EXPECT_EQ(moves(machine("complete:4"), program), "1: 0>1 | 2: 0>2 | 3: 0>3");
    EXPECT_EQ(moves(machine("complete:4", PortLimit(2)), program), "1: 0>1 0>2");
}

// ------------------------------------------------------------------------------------------------------- sends together

Program three_together(Node& self) {
    if (self.id() == 0) {
        const std::array<SendRequest, 3> sends{SendRequest(2, Packet(0)), SendRequest(0, Packet(0)),
                                               SendRequest(1, Packet(0))};
        co_await self.send_together(sends);
    }
}

TEST(SendsTogether, GoInOneRoundWhereThePortsSufficeElseInTheOrderGiven) {
    EXPECT_EQ(moves(machine("complete:4", PortLimit(3)), three_together), "1: 0>1 0>2 0>3");
    EXPECT_EQ(moves(machine("complete:4", PortLimit(2)), three_together), "1: 0>1 0>3 | 2: 0>2");
    EXPECT_EQ(moves(machine("complete:4"), three_together), "1: 0>3 | 2: 0>1 | 3: 0>2");
}

TEST(SendsTogether, MayNameNodesAndRoutes) {
    const auto program = [](Node& self) -> Program {
        if (self.id() == 0) {
            const std::array<Port, 2> long_way{leftwards, leftwards};
            const std::array<SendRequest, 2> sends{SendRequest(3, long_way, Packet(0)), SendRequest(2, {}, Packet(0))};
            co_await self.send_together(sends);
        }
    };
    EXPECT_EQ(moves(wormhole(machine("ring:5", PortLimit(2))), program), "1: 0>3 0>2");
}

TEST(SendsTogether, WithoutSendsTakeNoRound) {
    const auto program = [](Node& self) -> Program {
        const std::span<const SendRequest> nothing;
        co_await self.send_together(nothing);
        if (self.id() == 0 && self.round() == 1) co_await self.send(rightwards, Packet(0));
    };
    EXPECT_EQ(moves(machine("line:2"), program), "1: 0>1");
}

// ------------------------------------------------------------------------------------------------------------- strict

TEST(StrictPolicy, ReportsOnceAMessageThatWaitsForManyRounds) {
    const auto program = [](Node& self) -> Program {
        if (self.id() != 0) co_await self.send_to(0, Packet(self.id()));
    };
    Job all = job_of_all(strict(machine("complete:5")), program);
    all.collective.operation = Operation::allgather;
    all.payload = false;
    const test::Outcome outcome = run(all);
    EXPECT_EQ(text(outcome.schedule), "1: 1>0 | 2: 2>0 | 3: 3>0 | 4: 4>0");
    int waits = 0;
    for (const Violation& v : outcome.verdict.violations)
        if (v.breach == Breach::would_wait_receive) {
            ++waits;
            EXPECT_EQ(v.round, 1U);
            EXPECT_EQ(v.earlier_other, 1U);
            EXPECT_EQ(v.packet, v.other) << "its own";
            EXPECT_EQ(v.port, all.machine.topology->port_to(0, v.other)) << "by which it would have come in";
        }
    EXPECT_EQ(waits, 3);
}

/// What would have waited: "round node.port: other after earlier_other".
std::vector<std::string> waits(const Machine& machine, const ProgramFactory& program) {
    Job all = job_of_all(strict(machine), program);
    all.payload = false;
    std::vector<std::string> list;
    for (const Violation& v : run(all).verdict.violations)
        if (v.rule() == Rule::strict)
            list.push_back(fmt::format("{} {}.{}: {} after {}", v.round, v.node, v.port, v.other, v.earlier_other));
    return list;
}

TEST(StrictPolicy, NamesThePortOfTheSenderWhoseHalfDuplexPortReceives) {
    const auto everybody_to_the_right = [](Node& self) -> Program { co_await self.send(rightwards, Packet(0)); };
    EXPECT_THAT(waits(half_duplex(machine("ring:4")), everybody_to_the_right),
                testing::ElementsAre("1 1.1: 1 after 0", "1 3.1: 3 after 2"));
}

TEST(StrictPolicy, NamesTheWinnerOfTheSameRound) {
    const auto program = [](Node& self) -> Program {
        if (self.id() == 3) co_await self.next_round();
        if (self.id() != 0) co_await self.send_to(0, Packet(0));
    };
    EXPECT_THAT(waits(machine("complete:4"), program), testing::ElementsAre("1 0.1: 2 after 1", "2 0.2: 3 after 2"));
}

TEST(StrictPolicy, NamesTheWinnerAtAReceiverThatSendsInTheSameRound) {
    const auto program = [](Node& self) -> Program {
        if (self.id() == 0) co_await self.send_to(3, Packet(0));
        if (self.id() == 1 || self.id() == 2) co_await self.send_to(0, Packet(0));
    };
    EXPECT_THAT(waits(machine("complete:4"), program), testing::ElementsAre("1 0.1: 2 after 1"));
}

TEST(StrictPolicy, NamesTheFirstChannelOfAPathThatIsTaken) {
    // 4-0-1-3-7 finds the channels of 0 and of 1 taken.
    const auto program = [](Node& self) -> Program {
        const std::array<Port, 4> round_about{2, 0, 1, 2};
        if (self.id() == 0) co_await self.send(0, Packet(0));
        if (self.id() == 1) co_await self.send(1, Packet(0));
        if (self.id() == 4) co_await self.send_along(7, round_about, Packet(0));
    };
    EXPECT_THAT(waits(wormhole(machine("hypercube:3")), program), testing::ElementsAre("1 0.0: 4 after 0"));
}

// ----------------------------------------------------------------------------------------------------------- what waits

TEST(ABundleThatWaits, IsShownAmongThoseOfItsRoundBySender) {
    // Two ports: 4 loses round 1 and moves in round 2 together with 1, as the second: NODUP reports it as "again".
    const Machine complete = machine("complete:5", PortLimit(2));
    Job gather = job_of_all(complete, [](Node& self) -> Program {
        if (self.id() == 0) co_return;
        if (self.id() == 1) co_await self.next_round();
        co_await self.send_to(0, Packet(self.id() == 4 ? 1 : self.id()));
    });
    gather.collective.operation = Operation::gather;
    gather.payload = false;
    const test::Outcome outcome = run(gather);
    EXPECT_EQ(text(outcome.schedule), "1: 2>0 3>0 | 2: 1>0 4>0");
    EXPECT_EQ(test::text(outcome.verdict, *complete.topology),
              test::text(audit(outcome.schedule, complete, gather.collective, true), *complete.topology));
}

TEST(AValueThatWaits, IsNotOverwrittenByThoseOfLaterRounds) {
    // Node 3 loses the port of node 0 in round 1; in round 2 nodes 1 and 2 send values of their own.
    const auto program = [](Node& self) -> Program {
        const Value own = self.contribution();
        if (self.id() == 0) {
            const Arrival first = co_await self.receive();
            const Arrival second = co_await self.receive();
            self.result(self.fold(self.fold(own, first.value()), second.value()));
            co_return;
        }
        if (self.id() != 1) co_await self.send_to(0, own);
        if (self.id() == 3) co_return;
        co_await self.next_round();
        co_await self.send_to(self.id() == 1 ? 2 : 1, own);
    };
    Job reduce = job_of_all(machine("complete:4"), program);
    reduce.collective.operation = Operation::reduce;
    reduce.reduction = {Operator::sum, ElementType::int64, {"1", "2", "4", "8"}};
    EXPECT_THAT(run_lockstep(reduce, {}).results, testing::ElementsAre("13"));
}

// -------------------------------------------------------------------------------------------------- several partitions

/// Nodes are dealt in blocks; where only a message that waits moves in a round, the block of its receiver counts it.
TEST(MessagesThatWait, AreCountedBetweenBlocksInWhichNothingElseHappens) {
    const Machine complete = machine("complete:40000");
    for (const Operation& operation : {Operation::broadcast, Operation::gather}) {
        const auto program = [=](Node& self) -> Program {
            const Packet packet(operation == Operation::gather ? self.id() : 0);
            if (self.id() < 10'000) co_await self.send_to(30000, packet);
        };
        Job all = job(complete, program, {1, 5000, 9000});
        all.collective = {operation, 30000, 8};
        all.payload = false;
        const Outcome outcome = run(all);
        EXPECT_EQ(text(outcome.schedule), "1: 1>30000 | 2: 5000>30000 | 3: 9000>30000");
        EXPECT_EQ(text(outcome.verdict, *complete.topology),
                  text(audit(outcome.schedule, complete, all.collective, true), *complete.topology));
    }
}

}  // namespace
}  // namespace kport
