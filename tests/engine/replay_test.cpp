/// @file replay_test.cpp   A replayed schedule: bytes move, rules are checked, and a recorded run gives the same report.
#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/engine/replay.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::machine;
using test::schedule;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Replay, MovesAndVerifiesThePayload) {
    const Machine line = machine("line:3");
    const RunResult result =
        replay(schedule(*line.topology, {{1, 0, 1}, {2, 1, 2}}), line, Collective::broadcast(0, 100), {});
    EXPECT_TRUE(result.verdict.lawful() && result.verdict.delivered);
    EXPECT_EQ(result.verdict.metrics.bytes, 200U);
    EXPECT_FALSE(result.stopped);
}

TEST(Replay, FindsTheBytesOfAnUnheldPacket) {
    // Node 1 forwards in the round of arrival: all transfers of a round happen at once, so it has nothing to send yet.
    const Machine line = machine("line:3");
    const Schedule early = schedule(*line.topology, {{1, 0, 1}, {1, 1, 2}});
    const Verdict verdict = replay(early, line, Collective::broadcast(0, 8), {}).verdict;
    EXPECT_THAT(test::sentences(verdict, *line.topology),
                ElementsAre(HasSubstr("node 1 sends packet 0 in round 1"), HasSubstr("NOHO broken: node 1"),
                            "delivery broken: packet 0 at node 2 differs from what was sent in byte 0"));
    EXPECT_FALSE(verdict.delivered);
}

TEST(Replay, PassesOnCorruptedBytes) {
    // The packet that node 1 never held reaches 2 and then 3.
    const Machine line = machine("line:4");
    const Verdict verdict =
        replay(schedule(*line.topology, {{1, 1, 2}, {2, 2, 3}}), line, Collective::broadcast(0, 8), {}).verdict;
    EXPECT_THAT(
        test::sentences(verdict, *line.topology),
        testing::IsSupersetOf({HasSubstr("packet 0 at node 2 differs"), HasSubstr("packet 0 at node 3 differs")}));
}

TEST(Replay, ComparesNothingWhereNothingCame) {
    const Machine line = machine("line:4");
    const auto told = [&](NodeId source) {
        return test::sentences(
            replay(schedule(*line.topology, {{1, 0, 1}}), line, Collective::broadcast(source, 8), {}).verdict,
            *line.topology);
    };
    EXPECT_THAT(told(0), ElementsAre(HasSubstr("node 2"), HasSubstr("node 3"))) << "missing, and nothing else";
    EXPECT_THAT(told(3), testing::Contains(HasSubstr("packet 0 at node 1 differs"))) << "node 0 had nothing to send";
}

TEST(Replay, CorruptsNoPacketWithoutAByte) {
    const Machine line = machine("line:2");
    ReplayOptions options;
    options.corrupts = [](Round, const Transfer&) { return true; };
    const PacketBlock own{1};
    EXPECT_TRUE(
        replay(schedule(*line.topology, {{1, 0, 1}}), line, Collective::broadcast(0, 0), options).verdict.lawful());
    EXPECT_TRUE(replay(schedule(*line.topology, {{1, 0, 1, {}, {own}}}), line, {Operation::scatter, 0, 0}, options)
                    .verdict.lawful());
}

TEST(Replay, WithoutPayloadIsTheAuditAlone) {
    const Machine line = machine("line:3");
    const Schedule early = schedule(*line.topology, {{1, 0, 1}, {1, 1, 2}});
    ReplayOptions options;
    options.payload = false;
    options.per_round = true;
    EXPECT_EQ(test::text(replay(early, line, Collective::broadcast(0, 8), options).verdict, *line.topology),
              test::text(audit(early, line, Collective::broadcast(0, 8), true), *line.topology));
}

TEST(Replay, StopsAfterTheCurrentRound) {
    const Machine line = machine("line:3");
    const std::atomic<bool> stop = true;
    ReplayOptions options;
    options.stop = &stop;
    const RunResult result =
        replay(schedule(*line.topology, {{1, 0, 1}, {2, 1, 2}}), line, Collective::broadcast(0, 8), options);
    EXPECT_TRUE(result.stopped);
    EXPECT_EQ(result.verdict.metrics.rounds, 1U);
}

TEST(Replay, StopsAfterTheLastRoundIfTransfersRemain) {
    const Machine line = machine("line:4");
    const Schedule all = schedule(*line.topology, {{1, 0, 1}, {2, 1, 2}, {3, 2, 3}});
    const std::atomic<bool> stop = false;
    ReplayOptions options;
    options.stop = &stop;
    for (Round last = 0; last <= 4; ++last) {
        options.last_round = last;
        const RunResult result = replay(all, line, Collective::broadcast(0, 8), options);
        EXPECT_EQ(result.stopped, last == 1 || last == 2) << last;
        EXPECT_EQ(result.verdict.metrics.rounds, result.stopped ? last : 3U);
        EXPECT_EQ(result.verdict.violation_count, 0U) << "nothing is missed of a run that was stopped";
        EXPECT_GT(result.wall_seconds, 0);
    }
}

TEST(Replay, StopsBeforeATransferBeyondSilentRounds) {
    const Machine line = machine("line:3");
    Schedule late = schedule(*line.topology, {{1, 0, 1}, {9, 1, 2}});
    late.add_silent(2, 7);
    for (const bool is_limit : {false, true})
        for (const Round last : {1U, 5U, 8U, 9U}) {
            ReplayOptions options;
            (is_limit ? options.max_rounds : options.last_round) = last;
            const RunResult result = replay(late, line, Collective::broadcast(0, 8), options);
            EXPECT_EQ(result.stopped, last < 9) << last;
            EXPECT_EQ(result.out_of_rounds, is_limit && last < 9) << last;
            EXPECT_EQ(result.verdict.metrics.rounds, last < 9 ? 1U : 9U);
        }
}

TEST(Replay, KeepsTheFirstCopyOfADoubledPacket) {
    const Machine ring = machine("ring:3", PortLimit::all());
    const Schedule twice = schedule(*ring.topology, {{1, 1, 0}, {1, 1, 2}, {2, 0, 2}, {2, 2, 1}});
    const auto told = [&](const auto& corrupts) {
        ReplayOptions options;
        options.corrupts = corrupts;
        return test::sentences(replay(twice, ring, Collective::broadcast(1, 8), options).verdict, *ring.topology);
    };
    const auto differs = testing::Contains(HasSubstr("differs from what was sent"));
    const auto in_round = [](Round changed) { return [=](Round round, const Transfer&) { return round == changed; }; };
    EXPECT_THAT(told(in_round(1)), differs);
    EXPECT_THAT(told(in_round(2)), testing::Not(differs)) << "node 2 has it, and the source its own";
}

TEST(Replay, NamesTheNodeThePacketAndTheByteThatDiffer) {
    const Machine line = machine("line:4");
    const PacketBlock all{1, 1, 3};
    const PacketBlock two{2, 1, 2};
    const PacketBlock last{3};
    const Schedule scatter =
        schedule(*line.topology, {{1, 0, 1, {}, {all}}, {2, 1, 2, {}, {two}}, {3, 2, 3, {}, {last}}});
    for (Round changed = 1; changed <= 3; ++changed) {
        ReplayOptions options;
        options.corrupts = [&](Round round, const Transfer&) { return round == changed; };
        const Verdict verdict = replay(scatter, line, {Operation::scatter, 0, 8}, options).verdict;
        ASSERT_EQ(verdict.violations.size(), 1U) << "the first packet of the message is its receiver's";
        EXPECT_EQ(verdict.violations.front().breach, Breach::payload_differs);
        EXPECT_EQ(verdict.violations.front().node, changed);
        EXPECT_EQ(verdict.violations.front().packet, changed);
        EXPECT_EQ(verdict.violations.front().limit, 0U);
        options.stop = nullptr;
        options.last_round = 1;
        EXPECT_EQ(replay(scatter, line, {Operation::scatter, 0, 8}, options).verdict.violation_count, 0U)
            << "bytes of a run that was stopped are not compared";
    }
}

TEST(Replay, RefusesAScheduleOfAnotherMachine) {
    const Machine line = machine("line:3");
    EXPECT_THROW((void)replay(schedule(*make_topology("line:4"), {{1, 2, 3}}), line, Collective::broadcast(0, 8), {}),
                 RequestError);
    EXPECT_THROW((void)replay({}, line, Collective::broadcast(3, 8), {}), RequestError);
}

TEST(Replay, MovesPacketsAlone) {
    const Machine line = machine("line:2");
    const PacketBlock own{1};
    const Schedule reduce = schedule(*line.topology, {{1, 1, 0, {}, {own}}});
    EXPECT_THROW((void)replay(reduce, line, {Operation::reduce, 0, 8}, {}), RequestError);
}

}  // namespace
}  // namespace kport
