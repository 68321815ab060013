/// @file together_test.cpp   Sends that belong together on a strict machine: what would have to wait is told once.
#include <optional>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::job;
using test::leftwards;
using test::machine;
using test::on;
using test::rightwards;

/// The breach that a strict machine tells of when node 1 of a line sends both ways together.
template <class Make>
Violation told_to_wait(const Collective& collective, const Make& make) {
    Job both_ways =
        job(test::strict(machine("line:3")),
            [&](Node& self) -> Program {
                if (self.id() != 1) co_return;
                const auto what = make(self);
                const std::vector<SendRequest> sends{SendRequest(leftwards, what), SendRequest(rightwards, what)};
                co_await self.send_together(sends);
            },
            {1});
    both_ways.collective = collective;
    both_ways.payload = false;
    std::optional<Violation> told;
    for (const EngineKind engine : both_engines) {
        for (const Violation& violation : kport::run(both_ways, on(engine)).verdict.violations)
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
    for (const EngineKind engine : both_engines) {
        const Verdict verdict = kport::run(three_at_once, on(engine)).verdict;
        EXPECT_EQ(verdict.metrics.rounds, 3U);
        EXPECT_EQ(verdict.violation_count, 1U);
    }
}

TEST(AStrictMachine, NamesTheLowestPacketOfWhatWouldHaveToWait) {
    const auto packet_of = [](Operation operation, const auto& make) {
        const Violation told = told_to_wait({operation, 1, 8}, make);
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

}  // namespace
}  // namespace kport
