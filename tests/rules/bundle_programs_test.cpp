/// @file bundle_programs_test.cpp   Node programs of operations with many packets: lawful ones, those that break a rule, and
///                                  messages that the operation cannot carry.
///
/// Source   model.md sections 1 (NODUP, NOHO, combining), 5, 7 and 8 (delivery).
#include <string>
#include <utility>

#include "emulator/base/error.hpp"
#include "tests/rules/breaches.hpp"

namespace kport {
namespace {

using test::expect_told;
using test::half_duplex;
using test::job;
using test::job_of_all;
using test::machine;
using test::Outcome;
using test::rightwards;
using test::run;
using test::sentences;
using test::strict;
using test::the;
using test::wormhole;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Job scatter_job(const Machine& machine, ProgramFactory program) {
    Job scatter = job(machine, std::move(program), {0});
    scatter.collective.operation = Operation::scatter;
    return scatter;
}
Job allgather_job(const Machine& machine, ProgramFactory program) {
    Job all = job_of_all(machine, std::move(program));
    all.collective.operation = Operation::allgather;
    return all;
}
/// Keeps its own packet and passes the rest on to the right.
Program keep_and_pass(Node& self) {
    const NodeId nodes = self.topology().nodes();
    if (self.id() != 0) co_await self.receive();
    const PacketSet rest = PacketSet::range(self.id() + 1, nodes);
    if (!rest.empty()) co_await self.pass(rightwards, rest);
}

TEST(BundlePrograms, ThatAreLawfulHaveNoViolation) {
    for (const Machine& line :
         {machine("line:5"), strict(machine("line:5")), half_duplex(machine("line:5")), wormhole(machine("line:5"))}) {
        const Outcome outcome = run(scatter_job(line, keep_and_pass));
        EXPECT_THAT(sentences(outcome, line), IsEmpty());
        EXPECT_TRUE(outcome.verdict.delivered);
        EXPECT_EQ(outcome.verdict.metrics.volume, (4U + 3U + 2U + 1U) * 8U);
    }
}

TEST(BundlePrograms, AreCaughtWithSeveralPacketsInAMessageWhereNothingCombines) {
    Machine line = machine("line:3");
    line.combining = false;
    const Outcome outcome = run(scatter_job(line, keep_and_pass));
    EXPECT_THAT(sentences(outcome, line),
                ElementsAre(HasSubstr("combining broken: node 0 sends 2 packets in one message in round 1")));
    EXPECT_TRUE(outcome.verdict.delivered);
}

TEST(BundlePrograms, AreCaughtWhenAPacketIsMissing) {
    const Machine line = machine("line:4");
    const Outcome outcome = run(scatter_job(line, [](Node& self) -> Program {
        if (self.id() == 0) {
            const PacketSet most = PacketSet::range(1, 3);
            co_await self.send(rightwards, most);
        }
        if (self.id() == 1) {
            co_await self.receive();
            co_await self.send(rightwards, Packet(2));
        }
    }));
    EXPECT_THAT(sentences(outcome, line), ElementsAre("delivery broken: node 3 never receives packet 3"));
}

TEST(BundlePrograms, AreCaughtWhenTheySendWhatTheyDoNotHold) {
    const Machine line = machine("line:3");
    Job unheld = scatter_job(line, [](Node& self) -> Program {
        if (self.id() == 0) co_await self.send(rightwards, Packet(1));
        if (self.id() == 1) {
            co_await self.receive();
            const PacketSet both = PacketSet::range(1, 3);
            co_await self.send(rightwards, both);
        }
    });
    // The packet that no node sent is all zeros and differs; packet 1, which node 2 need not have, is right.
    EXPECT_THAT(sentences(run(unheld), line),
                ElementsAre(HasSubstr("node 1 sends packet 2 in round 2 and does not hold it"),
                            HasSubstr("packet 2 at node 2 differs from what was sent in byte")));
    unheld.payload = false;
    EXPECT_THAT(sentences(run(unheld), line), ElementsAre(HasSubstr("node 1 sends packet 2 in round 2")));
}

TEST(BundlePrograms, CannotForwardInTheRoundOfArrival) {
    // Node 1 sends without having received: in round 1, when the packet is on its way to it.
    const Machine line = machine("line:3");
    Job early = scatter_job(line, [](Node& self) -> Program {
        const PacketSet rest = PacketSet::range(self.id() + 1, 3);
        if (!rest.empty()) co_await self.send(rightwards, rest);
    });
    early.all_start = true;
    const Outcome outcome = run(early);
    expect_told(the(Breach::sent_unheld, outcome.verdict), Rule::delivery, 1, 1, 2, 2);
    expect_told(the(Breach::received_own, outcome.verdict), Rule::noho, 1, 1, 2, 0);
    EXPECT_EQ(the(Breach::payload_differs, outcome.verdict).node, 2U);
    EXPECT_EQ(outcome.verdict.violation_count, 3U);
}

/// Allgather around a ring that goes on one round too long.
Program pass_on_too_long(Node& self) {
    PacketSet last = PacketSet::range(self.id(), self.id() + 1);
    for (NodeId round = 0; round < self.topology().nodes(); ++round) {
        co_await self.send(rightwards, last);
        const Arrival arrival = co_await self.receive();
        last = arrival.packets();
    }
}

TEST(BundlePrograms, AreCaughtWhenAPacketComesBack) {
    const Machine ring = machine("ring:3");
    const Outcome outcome = run(allgather_job(ring, pass_on_too_long));
    ASSERT_EQ(outcome.verdict.violation_count, 3U);
    for (NodeId v = 0; v < 3; ++v) expect_told(outcome.verdict.violations[v], Rule::noho, 3, v, v, v == 0 ? 2 : v - 1);
    EXPECT_TRUE(outcome.verdict.delivered && outcome.verdict.kept(Rule::nodup));
}

TEST(BundlePrograms, AreCaughtWhenAPacketComesTwiceAndStillSendTheRightBytes) {
    // Packet 1 comes to node 1 in two messages and 2 in a third; then both go on. A doubled packet must not hide a missing one.
    const Machine line = machine("line:3");
    const Outcome outcome = run(scatter_job(line, [](Node& self) -> Program {
        if (self.id() == 0) {
            co_await self.send(rightwards, Packet(2));
            co_await self.send(rightwards, Packet(1));
            co_await self.send(rightwards, Packet(1));
        }
        if (self.id() == 1) {
            for (int i = 0; i < 3; ++i) co_await self.receive();
            const PacketSet both = PacketSet::range(1, 3);
            co_await self.send(rightwards, both);
        }
    }));
    EXPECT_EQ(outcome.verdict.violation_count, 1U);
    expect_told(the(Breach::received_again, outcome.verdict), Rule::nodup, 3, 1, 1, 0);
    EXPECT_TRUE(outcome.verdict.delivered);
}

TEST(BundlePrograms, SendOnePacketOfAnAlltoallByItsNumber) {
    const Machine line = machine("line:2");
    Job pair = job_of_all(line, [](Node& self) -> Program {
        const NodeId other = 1 - self.id();
        co_await self.send_to(other, Packet(self.id() * 2 + other));
    });
    pair.collective.operation = Operation::alltoall;
    const Outcome outcome = run(pair);
    EXPECT_THAT(sentences(outcome, line), IsEmpty());
    EXPECT_TRUE(outcome.verdict.delivered);
}

TEST(BundlePrograms, AreRefusedWhatTheOperationCannotCarry) {
    const auto refusal = [](Operation operation, ProgramFactory program) {
        Job refused = job(machine("line:3"), std::move(program), {0});
        refused.collective.operation = operation;
        try {
            (void)run(refused);
        } catch (const ProgramError& error) {
            EXPECT_EQ(error.node, 0U);
            EXPECT_EQ(error.round, 1U);
            return std::string(error.what());
        }
        return std::string("nothing was refused");
    };
    const auto send_nothing = [](Node& self) -> Program {
        const PacketSet nothing;
        co_await self.send(rightwards, nothing);
    };
    const auto send_set = [](Node& self) -> Program {
        const PacketSet two = PacketSet::range(0, 2);
        co_await self.send(rightwards, two);
    };
    const auto send_value = [](Node& self) -> Program {
        const Value value(Element{{0}, 7});
        co_await self.send(rightwards, value);
    };
    const auto send_no_value = [](Node& self) -> Program {
        const Value value;
        co_await self.send(rightwards, value);
    };
    const auto fold_no_value = [](Node& self) -> Program {
        self.result(self.fold(self.contribution(), Value()));
        co_return;
    };
    const auto give_no_value = [](Node& self) -> Program {
        self.result(Value());
        co_return;
    };
    const auto give_made_value = [](Node& self) -> Program {
        self.result(Value(Element{{0}, 7}));
        co_return;
    };
    const auto fold_values = [](Node& self) -> Program {
        (void)self.fold(Value(Element{{0}, 7}), Value(Element{{1}, 7}));
        co_return;
    };
    const auto name_whole = [](Node& self) -> Program {
        (void)self.whole(Value(Element{{0}, 7}));
        co_return;
    };
    const auto fold_into_no_value = [](Node& self) -> Program {
        self.result(self.fold(Value(), self.contribution()));
        co_return;
    };
    const auto name_no_value = [](Node& self) -> Program {
        (void)self.whole(Value());
        co_return;
    };
    const auto send_beyond = [](PacketId packet) {
        return [=](Node& self) -> Program { co_await self.send(rightwards, Packet(packet)); };
    };
    const auto give_value = [](Node& self) -> Program {
        self.result(self.contribution());
        co_return;
    };
    EXPECT_THAT(refusal(Operation::scatter, send_nothing), HasSubstr("node 0 sends a message that names no packet"));
    EXPECT_THAT(refusal(Operation::broadcast, send_set), HasSubstr("a set of packets, of which it has one"));
    EXPECT_THAT(refusal(Operation::reduce, send_set), HasSubstr("packets instead of a value"));
    EXPECT_THAT(refusal(Operation::scatter, send_value), HasSubstr("a value, which only reductions have"));
    EXPECT_THAT(refusal(Operation::broadcast, send_value), HasSubstr("a value, which only reductions have"));
    EXPECT_THAT(refusal(Operation::reduce, send_no_value), HasSubstr("a value that was never made"));
    EXPECT_THAT(refusal(Operation::reduce, fold_no_value), HasSubstr("a value that was never made"));
    EXPECT_THAT(refusal(Operation::reduce, give_no_value), HasSubstr("a value that was never made"));
    EXPECT_THAT(refusal(Operation::reduce, fold_into_no_value), HasSubstr("a value that was never made"));
    EXPECT_THAT(refusal(Operation::reduce, name_no_value), HasSubstr("a value that was never made"));
    EXPECT_THAT(refusal(Operation::scatter, send_beyond(3)),
                HasSubstr("names packet 3; scatter on 3 nodes has packets 0 to 2"));
    EXPECT_THAT(refusal(Operation::alltoall, send_beyond(9)), HasSubstr("names the packet of row 3 and column 0;"));
    EXPECT_THAT(refusal(Operation::scatter, give_made_value), HasSubstr("which only reductions have"));
    EXPECT_THAT(refusal(Operation::scatter, fold_values), HasSubstr("which only reductions have"));
    EXPECT_THAT(refusal(Operation::scatter, name_whole), HasSubstr("which only reductions have"));
    EXPECT_THAT(refusal(Operation::scatter, give_value), HasSubstr("which only reductions have"));
    EXPECT_THAT(refusal(Operation::broadcast, give_value), HasSubstr("which only reductions have"));
}

}  // namespace
}  // namespace kport
