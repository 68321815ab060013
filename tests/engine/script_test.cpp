/// @file script_test.cpp   A schedule that programs follow: the same transfers and results on every engine, folded by the
///                         order of nodes.
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
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

/// The schedule of a reduction followed on both engines, which give the same.
RunResult followed(const Schedule& schedule, const Machine& machine, const Collective& collective,
                   const Reduction& reduction, RunOptions options = {}, Naming naming = Naming::contributions) {
    Job job = job_following(schedule, machine, collective, naming);
    job.reduction = reduction;
    options.engine = EngineKind::free;
    const RunResult free = run(job, options);
    options.engine = EngineKind::lockstep;
    RunResult result = run(job, options);
    EXPECT_EQ(free.engine, EngineKind::free);
    EXPECT_EQ(free.results, result.results);
    EXPECT_EQ(test::text(free.verdict, *machine.topology), test::text(result.verdict, *machine.topology));
    return result;
}

TEST(AFollowedSchedule, GivesTheCompleteResults) {
    const Machine line = machine("line:3");
    const PacketBlock own{1};
    const auto results = [&](const std::vector<test::Step>& steps, Operation operation) {
        Reduction reduction;
        reduction.values = {"1", "2", "4"};
        return followed(schedule(*line.topology, steps), line, {operation, 0, 8}, reduction).results;
    };
    EXPECT_THAT(results({{1, 1, 0, {}, {own}}}, Operation::allreduce), testing::IsEmpty()) << "of no node";
    EXPECT_THAT(results({{1, 1, 0, {}, {own}}}, Operation::reduce), ElementsAre("3"))
        << "the root's, as far as it has come";
    EXPECT_THAT(results({{1, 2, 1, {}, {{2}}}}, Operation::reduce), ElementsAre("1")) << "the root's, alone";
    std::vector<test::Step> thrice;
    for (Round round = 1; round <= 3; ++round) thrice.push_back({round, 1, 0, {}, {own}});
    EXPECT_THAT(results(thrice, Operation::allreduce), testing::IsEmpty()) << "more than the whole";
}

/// What node 1 of a gather on line:3 is told that sends its packet in rounds 1 and 2.
std::vector<std::string> told_of_a_packet_sent_twice(Sent sent, EngineKind engine) {
    const Machine line = machine("line:3");
    const PacketBlock own{1};
    const Schedule twice = schedule(
        *line.topology, {{1, 1, 2, {}, {own}}, {2, 1, 0, {}, {own}}, {3, 2, 1, {}, {{2}}}, {4, 1, 0, {}, {{2}}}});
    RunOptions options;
    options.engine = engine;
    const Job job = job_following(twice, line, Collective::gather(0, 8), Naming::segments, sent);
    return test::sentences(run(job, options).verdict, *line.topology);
}

TEST(AFollowedSchedule, KeepsWhatItSendsUnlessEachPacketIsSentOnce) {
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        EXPECT_THAT(told_of_a_packet_sent_twice(Sent::often, engine), testing::IsEmpty());
        EXPECT_THAT(told_of_a_packet_sent_twice(Sent::once, engine),
                    testing::Contains(HasSubstr("node 1 sends packet 1 in round 2, which it passed on in round 1")));
    }
}

TEST(AFollowedSchedule, OfAScanTakesTheTotalAsTheLastNodesResultOnly) {
    const Machine line = machine("line:3");
    const PacketBlock first{0};
    const PacketBlock two{0, 1, 2};
    const PacketBlock last{2};
    const PacketBlock whole = result_packet(3);
    // Node 2 sends its contribution and gets the whole back; so does node 0, to whom it is no prefix.
    const Schedule there_and_back =
        schedule(*line.topology,
                 {{1, 0, 1, {}, {first}}, {2, 2, 1, {}, {last}}, {3, 1, 2, {}, {whole}}, {4, 1, 0, {}, {whole}}});
    Reduction reduction;
    reduction.values = {"1", "2", "4"};
    EXPECT_THAT(followed(there_and_back, line, {Operation::scan, 0, 8}, reduction).results, ElementsAre("1", "3", "7"));
    const Schedule down = schedule(*line.topology, {{1, 0, 1, {}, {first}}, {2, 1, 2, {}, {two}}});
    EXPECT_THAT(followed(down, line, {Operation::scan, 0, 8}, reduction).results, ElementsAre("1", "3", "7"));
}

TEST(AFollowedSchedule, OfAReversedBroadcastIsAReduction) {
    // Only the result is told apart: the other messages name segments, and carry their senders' folds.
    const Machine line = machine("line:3");
    const PacketBlock result = result_packet(3);
    const Schedule there_and_back =
        schedule(*line.topology, {{1, 2, 1}, {2, 1, 0}, {3, 0, 1, {}, {result}}, {4, 1, 2, {}, {result}}});
    Reduction reduction;
    reduction.values = {"1", "2", "4"};
    const RunResult told =
        followed(there_and_back, line, {Operation::allreduce, 0, 8}, reduction, {}, Naming::segments);
    EXPECT_TRUE(told.verdict.lawful());
    EXPECT_THAT(told.results, ElementsAre("7", "7", "7"));
}

TEST(AFollowedSchedule, SendsTheValueThatHasTheContributionsNamed) {
    // Node 1 keeps its own contribution and what came from node 2 apart, and passes on either, or both folded.
    const Machine complete = machine("complete:4", PortLimit::all());
    const auto own = [](std::uint32_t v) { return std::vector<PacketBlock>{PacketBlock{v}}; };
    const auto sent = [&](const std::vector<PacketBlock>& first, const std::vector<PacketBlock>& second) {
        const Schedule parts =
            schedule(*complete.topology, {{1, 2, 1, {}, own(2)}, {2, 1, 0, {}, first}, {3, 1, 3, {}, second}});
        Job job = job_following(parts, complete, {Operation::reduce, 0, 8});
        job.reduction.values = {"1", "2", "4", "8"};
        Schedule again;
        RunOptions options;
        options.recorded_schedule = &again;
        const RunResult result = run(job, options);
        EXPECT_TRUE(again == parts);
        return result.results.front();
    };
    const std::vector<PacketBlock> both{{1, 1, 2}};
    EXPECT_EQ(sent(own(2), own(1)), "5");
    EXPECT_EQ(sent(own(1), own(2)), "3");
    EXPECT_EQ(sent(both, own(1)), "7");
    EXPECT_EQ(sent(own(2), both), "5");
}

TEST(AFollowedSchedule, SendsOfEachSegmentTheValueThatIsNamed) {
    // Of segment 0 what came, of segment 1 both, of segment 2 the node's own.
    const Machine line = machine("line:3");
    const std::vector<PacketBlock> mixed{{2, 1, 1, 0}, {1, 1, 2, 1}, {1, 1, 1, 2}};
    const Schedule parts =
        schedule(*line.topology, {{1, 2, 1, {}, {PacketBlock{2, 1, 1, 0, 1, 3}}}, {2, 1, 0, {}, mixed}});
    Collective reduce{Operation::reduce, 0, 8};
    reduce.packets_each = 3;
    Job job = job_following(parts, line, reduce);
    Schedule again;
    RunOptions options;
    options.recorded_schedule = &again;
    const RunResult result = run(job, options);
    ASSERT_EQ(again.size(), 2U);
    EXPECT_EQ(distinct(again.transfer(1).packets).size(), distinct(mixed).size());
    EXPECT_EQ(common_size(again.transfer(1).packets, std::span<const PacketBlock>(mixed)), 4U);
    EXPECT_FALSE(result.verdict.delivered);
}

TEST(AFollowedSchedule, IsOneOfAValidReduction) {
    const Machine line = machine("line:2");
    const PacketBlock own{1};
    const Schedule reduce = schedule(*line.topology, {{1, 1, 0, {}, {own}}});
    Job three = job_following(reduce, line, {Operation::reduce, 0, 8});
    three.reduction.values = {"1", "2", "3"};
    const Job no_elements = job_following(reduce, line, {Operation::reduce, 0, 9});
    for (const EngineKind engine : both_engines)
        for (const Job& job : {three, no_elements}) EXPECT_THROW((void)run(job, on(engine)), RequestError);
}

TEST(AFollowedSchedule, OfAScanGivesEveryNodeTheSumUpToItsOwnAlone) {
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
    const Reduction reduction{Operator::sum, ElementType::int64, {"1", "2", "4", "8"}};
    const RunResult result = followed(exchange, cube, scan, reduction);
    EXPECT_THAT(test::sentences(result, cube), testing::IsEmpty());
    EXPECT_THAT(result.results, ElementsAre("1", "3", "7", "15"));
    const auto changed = [&](const Sabotage::Messages& messages) {
        Sabotage sabotage(Fault::corrupt, messages);
        RunOptions options;
        options.sabotage = &sabotage;
        Job job = job_following(exchange, cube, scan);
        job.reduction = reduction;
        return run(job, options);
    };
    const RunResult unused = changed({{2, 2, 0}, {2, 3, 1}});
    EXPECT_THAT(unused.results, ElementsAre("1", "3", "7", "15")) << "no result has it in it";
    EXPECT_THAT(
        test::sentences(unused, cube),
        ElementsAre("delivery broken: the value with contribution 2 that node 0 receives from node 2 in round 2 "
                    "differs from what was sent",
                    "delivery broken: the value with contribution 2 that node 1 receives from node 3 in round 2 "
                    "differs from what was sent"));
    EXPECT_THAT(
        test::sentences(changed({{2, 1, 3}}), cube),
        ElementsAre(
            "delivery broken: the value with contribution 0 that node 3 receives from node 1 in round 2 differs "
            "from what was sent",
            "delivery broken: the result of node 3 differs in byte 0 from every fold of its contributions"));
}

TEST(AFollowedSchedule, FoldsTheValuesOfARoundInNodeOrder) {
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

    const RunResult result = followed(schedule, complete, collective, reduction);
    EXPECT_TRUE(result.verdict.lawful()) << test::text(result.verdict, *complete.topology);
    EXPECT_EQ(result.results, std::vector<std::string>{"abcd"});
}

TEST(AFollowedSchedule, RoundsDoublesAlikeInWhateverOrderTheTransfersAreListed) {
    const Machine line = machine("line:3", PortLimit(2));
    const Collective collective{Operation::reduce, 1, 8};
    Reduction reduction;
    reduction.type = ElementType::real;
    reduction.values = {"-1e16", "1e16", "1"};  // (1e16 - 1e16) + 1 is 1, and (1e16 + 1) - 1e16 is 0
    const PacketBlock below{0};
    const PacketBlock above{2};
    const std::vector<test::Step> up = {{1, 0, 1, {}, {below}}, {1, 2, 1, {}, {above}}};
    const std::vector<test::Step> down = {up[1], up[0]};
    for (const auto& steps : {up, down})
        EXPECT_THAT(followed(schedule(*line.topology, steps), line, collective, reduction).results, ElementsAre("1"));
}

TEST(AFollowedSchedule, OfAScanRoundsDoublesInTheOrderInWhichTheyCome) {
    const Machine complete = machine("complete:3");
    const auto own = [](std::uint32_t v) { return std::vector<PacketBlock>{PacketBlock{v}}; };
    const Schedule near_first =
        schedule(*complete.topology, {{1, 0, 1, {}, own(0)}, {1, 1, 2, {}, own(1)}, {2, 0, 2, {}, own(0)}});
    const Reduction reduction{Operator::sum, ElementType::real, {"1", "1e16", "-1e16"}};
    const RunResult result = followed(near_first, complete, {Operation::scan, 0, 8}, reduction);
    EXPECT_THAT(test::sentences(result, complete), testing::IsEmpty());
    EXPECT_THAT(result.results, ElementsAre("1", "1e+16", "1")) << "1 + (1e16 - 1e16); (1 + 1e16) - 1e16 is 0";
}

TEST(AFollowedSchedule, RoundsDoublesOfEachSegmentInItsOwnOrder) {
    const Machine complete = machine("complete:4", PortLimit::all());
    const auto of = [](std::uint32_t segment, std::uint32_t contribution) {
        return block_of(Progression{segment}, Progression{contribution});
    };
    const Schedule two_segments = schedule(*complete.topology, {{1, 0, 2, {}, {of(1, 0)}},
                                                                {2, 1, 3, {}, {of(3, 1)}},
                                                                {2, 2, 3, {}, {of(1, 0), of(1, 2), of(3, 2)}},
                                                                {3, 0, 3, {}, {of(3, 0)}}});
    const Reduction reduction{Operator::sum, ElementType::real, {"0", "1", "1e16", "-1e16"}};
    EXPECT_THAT(followed(two_segments, complete, {Operation::reduce_scatter, 0, 8}, reduction).results,
                ElementsAre("1"))
        << "0 + (1 + (1e16 - 1e16)): of segment 3 the value of node 2 is the nearest; (1 - 1e16) + 1e16 is 0";
}

TEST(AFollowedSchedule, IsOneOfTheMachine) {
    const Schedule longer = schedule(*make_topology("line:4"), {{1, 2, 3}});
    EXPECT_THROW((void)job_following(longer, machine("line:3"), Collective::broadcast(0, 8)), RequestError);
}

TEST(AFollowedSchedule, IsOneThatAnAuditReads) {
    // Its blocks would else be joined to sets that are in order: what is refused here must not be lawful there.
    const Machine line = machine("line:3");
    const auto refusal = [&](const Collective& collective, const std::vector<PacketBlock>& packets) {
        const Schedule wrong = schedule(*line.topology, {{1, 0, 1, {}, packets}});
        try {
            (void)job_following(wrong, line, collective);
        } catch (const RequestError& error) {
            const std::string said = error.what();
            EXPECT_THROW((void)audit(wrong, line, collective, false), RequestError);
            return said;
        }
        return std::string();
    };
    const Collective scatter = Collective::scatter(0, 8);
    EXPECT_EQ(refusal(scatter, {{1, 1, 2}}), "");
    EXPECT_THAT(refusal(scatter, {{1, 0, 1}, {2}}), HasSubstr("it names packet 1 in steps of 0; want at least 1"));
    EXPECT_THAT(refusal(scatter, {{1}, {1}}), HasSubstr("it names packet 1 twice"));
    EXPECT_THAT(refusal(scatter, {{3}}), HasSubstr("it names packet 3;"));
    EXPECT_THAT(refusal(Collective::broadcast(0, 8), {{1}}), HasSubstr("it names packet 1;"));
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

}  // namespace
}  // namespace kport
