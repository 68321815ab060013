/// @file packet_sets_test.cpp   The packets that programs and engines name: invalid sets are refused to a program and
///                              reported of an engine, and a packet that was passed away is not held.
///
/// Source   model.md section 1 (a message carries a set of packets) and section 8 (delivery).
#include <string>
#include <vector>

#include "emulator/base/error.hpp"
#include "emulator/engine/free_running.hpp"
#include "tests/rules/breaches.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::job;
using test::job_of_all;
using test::leftwards;
using test::machine;
using test::on;
using test::rightwards;
using test::sentences;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

PacketSet set_of(const std::vector<PacketBlock>& blocks) {
    PacketSet set;
    for (const PacketBlock& block : blocks) set.add(block);
    return set;
}

/// Node 0 of a ring of five sends these, in both engines. Returns the message of the refusal.
std::string refusal(Operation operation, const std::vector<PacketBlock>& blocks, NodeId nodes = 5) {
    Job sending = job_of_all(machine("ring:" + std::to_string(nodes)), [blocks](Node& self) -> Program {
        const PacketSet set = set_of(blocks);
        if (self.id() == 0) co_await self.send(rightwards, set);
    });
    sending.collective.operation = operation;
    std::vector<std::string> told;
    for (const EngineKind engine : both_engines)
        for (const bool payload : {true, false}) {
            sending.payload = payload;
            try {
                (void)run(sending, on(engine));
                told.emplace_back("");
            } catch (const ProgramError& error) {
                told.emplace_back(error.what());
            }
        }
    EXPECT_THAT(told, testing::Each(told.front()));
    return told.front();
}

TEST(ASetThatAProgramSends, CarriesAPacketOnce) {
    const PacketBlock one{0};
    EXPECT_EQ(refusal(Operation::gather, {one}), "");
    EXPECT_THAT(refusal(Operation::gather, {one, one, one, one, one}),
                HasSubstr("node 0 sends a message that names packet 0 twice; a message carries a set of packets"));
    EXPECT_THAT(refusal(Operation::scatter, {{1, 1, 3}, {2, 2, 2}}), HasSubstr("names packet 2 twice"));
    EXPECT_THAT(refusal(Operation::scatter, {{1, 0, 4}}), HasSubstr("names packet 1 twice")) << "a stride of 0";
    EXPECT_THAT(refusal(Operation::alltoall, {{1, 1, 2, 0}, {2, 1, 1, 0, 1, 3}}), HasSubstr("names packet 2 twice"));
    EXPECT_THAT(refusal(Operation::alltoall, {{1, 1, 2, 0, 0, 2}}), HasSubstr("names packet 1 twice"));
    EXPECT_EQ(refusal(Operation::scatter, {{0, 2, 3}, {1, 2, 2}}), "");
}

TEST(ASetThatAProgramSends, IsNotEmpty) {
    const std::string empty = "names no packet; a message carries at least one";
    EXPECT_THAT(refusal(Operation::gather, {}), HasSubstr(empty));
    EXPECT_THAT(refusal(Operation::gather, {{0, 1, 0}}), HasSubstr(empty));
    EXPECT_THAT(refusal(Operation::alltoall, {{0, 1, 5, 0, 1, 0}}), HasSubstr(empty));
}

TEST(ASetThatAProgramSends, HasPacketsOfTheOperationAlone) {
    EXPECT_THAT(refusal(Operation::scatter, {{1, 1, 5}}),
                HasSubstr("names packet 5; scatter on 5 nodes has packets 0 to 4"));
    EXPECT_THAT(refusal(Operation::scatter, {{0, 3, 3}}), HasSubstr("names packet 6;"));
    EXPECT_THAT(refusal(Operation::scatter, {{0, 1, 0xFFFFFFFF}}), HasSubstr("names packet 5;"));
    EXPECT_THAT(refusal(Operation::scatter, {{3, 0x80000000, 3}}), HasSubstr("names packet 2147483651;"));
    EXPECT_THAT(refusal(Operation::scatter, {{0, 1, 1, 1}}), HasSubstr("names row 1; scatter has row 0 alone"));
    EXPECT_THAT(refusal(Operation::alltoall, {{0, 1, 6}}), HasSubstr("row 0 and column 5; alltoall on 5 nodes"));
    EXPECT_THAT(refusal(Operation::alltoall, {{0, 1, 1, 4, 1, 2}}), HasSubstr("row 5 and column 0;"));
    // The last number of 32 bits and the first are no neighbours.
    EXPECT_THAT(refusal(Operation::scatter, {{0xFFFFFFFF}, {0}}), HasSubstr("names packet 4294967295;"));
    EXPECT_THROW((void)PacketSet::range(PacketId{1} << 32, (PacketId{1} << 32) + 1), std::out_of_range);
}

TEST(ASetWithManyBlocks, IsCheckedToo) {
    std::vector<PacketBlock> even;
    for (std::uint32_t v = 0; v < 1000; v += 4) even.push_back({v, 2, 1 + (v % 8 == 0 ? 1U : 0U)});
    EXPECT_EQ(refusal(Operation::scatter, even, 1100), "");
    even.push_back({500});
    EXPECT_THAT(refusal(Operation::scatter, even, 1100), HasSubstr("names packet 500 twice"));
}

// ------------------------------------------------------------------------------------------------------------- broadcasts

std::string refusal_of_packet(Operation operation, PacketId packet) {
    Job sending = job(machine("line:3"),
                      [packet](Node& self) -> Program {
                          if (self.id() == 0) co_await self.send(rightwards, Packet(packet));
                      },
                      {0});
    sending.collective.operation = operation;
    std::vector<std::string> told;
    for (const EngineKind engine : both_engines) {
        RunOptions options = on(engine);
        Schedule schedule;
        options.recorded_schedule = &schedule;
        try {
            const Verdict verdict = run(sending, options).verdict;
            EXPECT_EQ(audit(schedule, sending.machine, sending.collective, false).lawful(), verdict.lawful());
            told.emplace_back("");
        } catch (const ProgramError& error) {
            told.emplace_back(error.what());
        }
    }
    EXPECT_EQ(told[0], told[1]);
    return told[0];
}

TEST(ABroadcastProgram, MovesPacket0AndIsRefusedAnyOther) {
    EXPECT_EQ(refusal_of_packet(Operation::broadcast, 0), "");
    for (const PacketId packet : {PacketId{1}, PacketId{7}, PacketId{99}, PacketId{1} << 32, PacketId{1} << 40})
        EXPECT_THAT(refusal_of_packet(Operation::broadcast, packet),
                    HasSubstr("names packet " + std::to_string(packet) + "; a broadcast moves packet 0 alone"));
    for (const PacketId packet : {PacketId{1} << 62, PacketId{3} << 62, ~PacketId{0}})
        for (const Operation& operation : {Operation::broadcast, Operation::scatter, Operation::alltoall})
            EXPECT_THAT(refusal_of_packet(operation, packet), HasSubstr("sends a message that names"));
}

// ---------------------------------------------------------------------------------------------------------------- numbers

TEST(APacketThatArrives, HasItsNumberOfRowAndColumn) {
    // Node 2 of three gets packets (0, 2) and (1, 2) of an alltoall, in several ways.
    std::vector<PacketId> came;
    Job all = job_of_all(machine("line:3"), [&came](Node& self) -> Program {
        if (self.id() == 0) {
            co_await self.send(rightwards, Packet(0 * 3 + 2));
        } else if (self.id() == 1) {
            const Arrival from_left = co_await self.receive();
            came.push_back(from_left.packet().id());
            co_await self.send(rightwards, from_left.packet());
            PacketSet both;
            both.add(PacketBlock{2, 1, 1, 1});
            co_await self.send(rightwards, both);
        } else {
            for (int i = 0; i < 2; ++i) {
                const Arrival arrival = co_await self.receive();
                came.push_back(arrival.packet().id());
            }
        }
    });
    all.collective.operation = Operation::alltoall;
    (void)run_lockstep(all, {});
    EXPECT_THAT(came, ElementsAre(2U, 2U, 5U));
}

// ------------------------------------------------------------------------------------------------------------- passed away

/// A scatter down a line of three in which node 1 sends or passes on all that came, its own packet too.
Job passing_all(bool passes) {
    Job scatter = job(machine("line:3"),
                      [passes](Node& self) -> Program {
                          if (self.id() == 0) {
                              const PacketSet rest = PacketSet::range(1, 3);
                              co_await self.send(rightwards, rest);
                          } else {
                              const Arrival arrival = co_await self.receive();
                              const PacketSet all = arrival.packets();
                              if (self.id() == 1 && passes)
                                  co_await self.pass(rightwards, all);
                              else if (self.id() == 1)
                                  co_await self.send(rightwards, all);
                          }
                      },
                      {0});
    scatter.collective.operation = Operation::scatter;
    return scatter;
}

TEST(AHolder, ThatPassedItsPromisedPacketAwayIsNone) {
    for (const EngineKind engine : both_engines)
        for (const bool payload : {true, false}) {
            const RunOptions options = on(engine);
            Job scatter = passing_all(true);
            scatter.payload = payload;
            const Verdict verdict = run(scatter, options).verdict;
            EXPECT_THAT(
                sentences(verdict, *scatter.machine.topology),
                ElementsAre("delivery broken: node 1 passes packet 1 on in round 2 and must hold it at the end: a "
                            "node sends what it keeps and passes on what it needs no more"));
            EXPECT_EQ(verdict.holders, 2U);
            EXPECT_FALSE(verdict.delivered);
            Job keeps = passing_all(false);
            keeps.payload = payload;
            const Verdict kept = run(keeps, options).verdict;
            EXPECT_THAT(sentences(kept, *keeps.machine.topology), IsEmpty());
            EXPECT_EQ(kept.holders, 3U);
        }
}

TEST(ARoot, ThatPassesGatheredPacketsAwayHoldsTheOthers) {
    Job gather = job_of_all(machine("ring:3"), [](Node& self) -> Program {
        if (self.id() != 0) {
            co_await self.send_to(0, Packet(self.id()));
            co_return;
        }
        const Arrival one = co_await self.receive_from(1);
        const PacketSet first = one.packets();
        co_await self.receive_from(2);
        co_await self.pass(leftwards, first);
    });
    gather.collective.operation = Operation::gather;
    const Verdict verdict = run_lockstep(gather, {}).verdict;
    EXPECT_EQ(test::the(Breach::passed_away, verdict).packet, 1U);
    EXPECT_EQ(verdict.holders, 2U);
    EXPECT_EQ(verdict.promised, 3U);
}

}  // namespace
}  // namespace kport
