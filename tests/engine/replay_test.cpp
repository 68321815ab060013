/// @file replay_test.cpp   A replayed schedule: bytes move, rules are checked, and a recorded run gives the same report.
#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/engine/replay.hpp"
#include "emulator/engine/script.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::machine;
using test::on;
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
                ElementsAre(HasSubstr("NOHO broken: node 1"), HasSubstr("node 1 sends packet 0 in round 1"),
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

TEST(Replay, GivesTheCompleteResults) {
    const Machine line = machine("line:3");
    const PacketBlock own{1};
    const auto results = [&](const std::vector<test::Step>& steps, Operation operation) {
        ReplayOptions options;
        options.reduction.values = {"1", "2", "4"};
        return replay(schedule(*line.topology, steps), line, {operation, 0, 8}, options).results;
    };
    EXPECT_THAT(results({{1, 1, 0, {}, {own}}}, Operation::allreduce), testing::IsEmpty()) << "of no node";
    EXPECT_THAT(results({{1, 1, 0, {}, {own}}}, Operation::reduce), ElementsAre("3"))
        << "the root's, as far as it has come";
    std::vector<test::Step> thrice;
    for (Round round = 1; round <= 3; ++round) thrice.push_back({round, 1, 0, {}, {own}});
    EXPECT_THAT(results(thrice, Operation::allreduce), testing::IsEmpty()) << "more than the whole";
}

TEST(Replay, OfAScanTakesTheTotalAsTheLastNodesResultOnly) {
    const Machine line = machine("line:3");
    const PacketBlock first{0};
    const PacketBlock two{0, 1, 2};
    const PacketBlock last{2};
    const PacketBlock whole = result_packet(3);
    // Node 2 sends its contribution and gets the whole back; so does node 0, to whom it is no prefix.
    const Schedule there_and_back =
        schedule(*line.topology,
                 {{1, 0, 1, {}, {first}}, {2, 2, 1, {}, {last}}, {3, 1, 2, {}, {whole}}, {4, 1, 0, {}, {whole}}});
    ReplayOptions options;
    options.reduction.values = {"1", "2", "4"};
    EXPECT_THAT(replay(there_and_back, line, {Operation::scan, 0, 8}, options).results, ElementsAre("1", "3", "7"));
    const Schedule down = schedule(*line.topology, {{1, 0, 1, {}, {first}}, {2, 1, 2, {}, {two}}});
    EXPECT_THAT(replay(down, line, {Operation::scan, 0, 8}, options).results, ElementsAre("1", "3", "7"));
}

TEST(Replay, FreesLargeValues) {
    // Large enough for memory of their own, which is missed where leaks are looked for.
    const Machine line = machine("line:2");
    const PacketBlock first{0};
    for (const Operation& operation : {Operation::allreduce, Operation::scan}) {
        const Schedule once = schedule(*line.topology, {{1, 0, 1, {}, {first}}});
        EXPECT_EQ(replay(once, line, {operation, 0, std::uint64_t{1} << 16}, {}).results.size(),
                  operation == Operation::scan ? 2U : 1U);
    }
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

TEST(Replay, RefusesAReductionThatIsNotValid) {
    const Machine line = machine("line:2");
    const PacketBlock own{1};
    const Schedule reduce = schedule(*line.topology, {{1, 1, 0, {}, {own}}});
    ReplayOptions options;
    options.reduction.values = {"1", "2", "3"};
    EXPECT_THROW((void)replay(reduce, line, {Operation::reduce, 0, 8}, options), RequestError);
    EXPECT_THROW((void)replay(reduce, line, {Operation::reduce, 0, 9}, {}), RequestError) << "no whole elements";
    Job job = job_following(reduce, line, {Operation::reduce, 0, 8});
    job.reduction = options.reduction;
    for (const EngineKind engine : both_engines) {
        EXPECT_THROW((void)run(job, on(engine)), RequestError);
    }
}

TEST(AFollowedSchedule, IsOneOfTheMachine) {
    const Schedule longer = schedule(*make_topology("line:4"), {{1, 2, 3}});
    EXPECT_THROW((void)job_following(longer, machine("line:3"), Collective::broadcast(0, 8)), RequestError);
}

TEST(AFollowedSchedule, NamesTheRoundsInWhichNothingMoves) {
    // audit() says that the rule of rounds is broken; no program can break it so.
    const Machine line = machine("line:3");
    const std::vector<test::Step> steps = {{2, 0, 1}, {5, 1, 2}};
    const auto with = [&](std::initializer_list<Silence> silences) {
        Schedule slow = schedule(*line.topology, steps);
        for (const Silence& silence : silences) slow.add_silent(silence.first, silence.count);
        return slow;
    };
    const auto refusal = [&](const Schedule& slow) -> std::string {
        const Verdict verdict = audit(slow, line, Collective::broadcast(0, 8), false);
        try {
            const Job job = job_following(slow, line, Collective::broadcast(0, 8));
            EXPECT_TRUE(verdict.lawful());
            for (const EngineKind engine : both_engines) {
                EXPECT_EQ(run(job, on(engine)).verdict.metrics, verdict.metrics);
            }
        } catch (const RequestError& error) {
            EXPECT_FALSE(verdict.kept(Rule::rounds));
            return error.what();
        }
        return "";
    };
    const auto says = [](Round gap) {
        return fmt::format(
            "round {} of the schedule has no transfer, which is illegal unless the schedule names it as silent", gap);
    };
    EXPECT_EQ(refusal(with({})), says(1));
    EXPECT_EQ(refusal(with({{1, 1}})), says(3));
    EXPECT_EQ(refusal(with({{3, 2}})), says(1));
    EXPECT_EQ(refusal(with({{1, 1}, {3, 1}})), says(4));
    EXPECT_EQ(refusal(with({{1, 1}, {4, 1}})), says(3));
    EXPECT_EQ(refusal(with({{1, 1}, {3, 2}})), "");
    EXPECT_EQ(refusal(with({{1, 1}, {3, 2}, {7, 3}})), "") << "what lies behind the last transfer counts for nothing";
}

TEST(Replay, RefusesAScheduleOfAnotherMachine) {
    const Machine line = machine("line:3");
    EXPECT_THROW((void)replay(schedule(*make_topology("line:4"), {{1, 2, 3}}), line, Collective::broadcast(0, 8), {}),
                 RequestError);
    EXPECT_THROW((void)replay({}, line, Collective::broadcast(3, 8), {}), RequestError);
}

TEST(Replay, OfAScanGivesEveryNodeTheSumUpToItsOwnAlone) {
    // The exchange on hypercube:2: what comes from a higher node is passed on and is no part of the result.
    const Machine cube = machine("hypercube:2");
    const std::vector<PacketBlock> low{{0, 1, 2}};
    const std::vector<PacketBlock> high{{2, 1, 2}};
    const auto own = [](std::uint32_t v) { return std::vector<PacketBlock>{PacketBlock{v}}; };
    const Schedule exchange = schedule(*cube.topology, {{1, 0, 1, {}, own(0)},
                                                        {1, 1, 0, {}, own(1)},
                                                        {1, 2, 3, {}, own(2)},
                                                        {1, 3, 2, {}, own(3)},
                                                        {2, 0, 2, {}, low},
                                                        {2, 1, 3, {}, low},
                                                        {2, 2, 0, {}, high},
                                                        {2, 3, 1, {}, high}});
    const Collective scan{Operation::scan, 0, 8};
    ReplayOptions options;
    options.reduction = {Operator::sum, ElementType::int64, {"1", "2", "4", "8"}};
    const RunResult result = replay(exchange, cube, scan, options);
    EXPECT_THAT(test::sentences(result.verdict, *cube.topology), testing::IsEmpty());
    EXPECT_THAT(result.results, ElementsAre("1", "3", "7", "15"));
    options.corrupts = [](Round round, const Transfer& transfer) { return round == 2 && transfer.from > transfer.to; };
    const RunResult unused = replay(exchange, cube, scan, options);
    EXPECT_THAT(unused.results, ElementsAre("1", "3", "7", "15")) << "no result has it in it";
    EXPECT_THAT(
        test::sentences(unused.verdict, *cube.topology),
        ElementsAre("delivery broken: the value with contribution 2 that node 0 receives from node 2 in round 2 "
                    "differs from what was sent",
                    "delivery broken: the value with contribution 2 that node 1 receives from node 3 in round 2 "
                    "differs from what was sent"));
    options.corrupts = [](Round round, const Transfer& transfer) { return round == 2 && transfer.to == 3; };
    EXPECT_THAT(
        test::sentences(replay(exchange, cube, scan, options).verdict, *cube.topology),
        ElementsAre(
            "delivery broken: the value with contribution 0 that node 3 receives from node 1 in round 2 differs "
            "from what was sent",
            "delivery broken: the result of node 3 differs in byte 0 from every fold of its contributions"));
}

TEST(Replay, FoldsTheValuesOfARoundInNodeOrderOnEveryEngine) {
    Machine complete;
    complete.topology = make_topology("complete:4");
    complete.ports = PortLimit::all();
    const auto port = [&](NodeId from, NodeId to) { return complete.topology->port_to(from, to); };
    Schedule schedule;
    const auto add = [&](Round round, NodeId from, NodeId to, const PacketBlock& contributions) {
        const Port out = port(from, to);
        schedule.add(round, {from, to, {&out, 1}, {&contributions, 1}});
    };
    add(1, 0, 1, {0});
    add(2, 1, 3, {0, 1, 2});  // shown first, and yet node 2 stands between
    add(2, 2, 3, {2});
    const Collective collective{Operation::reduce, 3, 8};
    Reduction reduction;
    reduction.op = Operator::concat;
    reduction.type = ElementType::text;
    reduction.values = {"a", "b", "c", "d"};

    ReplayOptions options;
    options.reduction = reduction;
    const RunResult replayed = replay(schedule, complete, collective, options);
    EXPECT_TRUE(replayed.verdict.lawful()) << test::text(replayed.verdict, *complete.topology);
    EXPECT_EQ(replayed.results, std::vector<std::string>{"abcd"});
    Job job = job_following(schedule, complete, collective);
    job.reduction = reduction;
    for (const EngineKind kind : both_engines) {
        RunOptions how;
        how.engine = kind;
        const RunResult result = run(job, how);
        EXPECT_TRUE(result.verdict.lawful()) << test::text(result.verdict, *complete.topology);
        EXPECT_EQ(result.results, std::vector<std::string>{"abcd"});
    }
}

TEST(Replay, RoundsDoublesAsAProgramDoesInWhateverOrderTheTransfersAreListed) {
    const Machine line = machine("line:3", PortLimit(2));
    const Collective collective{Operation::reduce, 1, 8};
    Reduction reduction;
    reduction.type = ElementType::real;
    reduction.values = {"-1e16", "1e16", "1"};  // (1e16 - 1e16) + 1 is 1, and (1e16 + 1) - 1e16 is 0
    const PacketBlock below{0};
    const PacketBlock above{2};
    const std::vector<test::Step> up = {{1, 0, 1, {}, {below}}, {1, 2, 1, {}, {above}}};
    const std::vector<test::Step> down = {up[1], up[0]};
    for (const auto& steps : {up, down}) {
        const Schedule listed = schedule(*line.topology, steps);
        ReplayOptions options;
        options.reduction = reduction;
        EXPECT_THAT(replay(listed, line, collective, options).results, ElementsAre("1"));
        Job job = job_following(listed, line, collective);
        job.reduction = reduction;
        for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
            RunOptions how;
            how.engine = engine;
            EXPECT_THAT(run(job, how).results, ElementsAre("1"));
        }
    }
}

}  // namespace
}  // namespace kport
