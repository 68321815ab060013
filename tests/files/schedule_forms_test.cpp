/// @file schedule_forms_test.cpp   Schedules in every form: read, judged, written, read again; wrong text is refused.
#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/run_algorithm.hpp"
#include "app/files/lines.hpp"
#include "app/files/schedule_forms.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

ToldSchedule told_by(const std::string& text, const ScheduleContext& context = {}) {
    std::istringstream in(text);
    return read_any_schedule(in, "x.txt", context).told;
}

ScheduleContext on(const std::string& spec) {
    ScheduleContext context;
    context.machine.topology = make_topology(spec);
    return context;
}

/// Why a text is refused, from the place on.
std::string why_not(const std::string& text) {
    try {
        (void)told_by(text);
    } catch (const RequestError& error) {
        EXPECT_THAT(error.what(), StartsWith("schedule 'x.txt'"));
        return std::string(error.what()).substr(std::string("schedule 'x.txt'").size());
    }
    return "accepted";
}

Verdict judged(const ToldSchedule& told) {
    Machine machine;
    machine.topology = told.topology;
    machine.ports = PortLimit::all();
    return audit(told.schedule, machine, told.collective, false);
}

std::string text_of(const ToldSchedule& told, std::string_view form) {
    std::ostringstream out;
    schedule_form_named(form).write(out, told);
    return out.str();
}

/// What an algorithm of the catalogue does there.
ToldSchedule recorded(const std::string& operation, const std::string& algorithm, const std::string& spec,
                      Switching switching = Switching::store_and_forward, std::uint64_t packets_each = 1) {
    ToldSchedule told;
    told.topology = make_topology(spec);
    told.collective = Collective::of(operation_named(operation), 0, 64);
    told.collective.packets_each = packets_each;
    if (operation == "permutation") told.collective.permutation = permutation_named("bit-reversal");
    Machine machine;
    machine.topology = told.topology;
    machine.switching = switching;
    RunOptions options;
    options.recorded_schedule = &told.schedule;
    const Algorithm& row = algorithm_named(algorithm, machine, told.collective, {});
    told.collective = judged_collective(row, told.collective, {});
    (void)run_algorithm(row, machine, told.collective, {}, {}, options);
    return told;
}

// ------------------------------------------------------------------------------------------------------------------- text

TEST(ScheduleForms, ReadAScatterAsItStandsOnPaper) {
    const ToldSchedule told = told_by(
        "# Kumar et al., ch. 4.4\n"
        "on hypercube:3\n"
        "scatter from 0\n"
        "\n"
        "round 1: 0 -> 4 {4..7}\n"
        "round 2: 0 -> 2 {2, 3}, 4 -> 6 {6, 7}   # both halves\n"
        "round 3: 0->1 {1}, 2->3{3},\n"
        "         4 -> 5 {5}, 6 -> 7 {7}\n");
    EXPECT_EQ(told.topology->spec(), "hypercube:3");
    EXPECT_EQ(told.collective.operation, Operation::scatter);
    EXPECT_EQ(told.schedule.size(), 7U);
    const Verdict verdict = judged(told);
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.metrics.rounds, 3U);
    EXPECT_EQ(verdict.metrics.work, 7U);
}

TEST(ScheduleForms, WithoutBracesABroadcastMovesItsPacketAndAGatherAllThatTheSenderHolds) {
    EXPECT_TRUE(judged(told_by("on line:3\nbroadcast from 1\nround 1: 1 -> 0, 1 -> 2\n")).lawful());
    const ToldSchedule gather = told_by("on line:4\ngather to 0\nround 1: 3 -> 2\nround 2: 2 -> 1\nround 3: 1 -> 0\n");
    EXPECT_TRUE(judged(gather).lawful());
    EXPECT_EQ(size_of(gather.schedule.transfer(2).packets), 3U);
    EXPECT_TRUE(judged(told_by("on line:3\nreduce to 0\nround 1: 2 -> 1\nround 2: 1 -> 0\n")).lawful());
}

TEST(ScheduleForms, TakeWhatCameInARoundForHeldInTheNextOnly) {
    const ToldSchedule told = told_by("on line:3\ngather to 0\nround 1: 2 -> 1, 1 -> 0\nround 2: 1 -> 0 {2}\n");
    EXPECT_EQ(size_of(told.schedule.transfer(1).packets), 1U);
    EXPECT_TRUE(judged(told).lawful());
}

ScheduleContext all_held(const Operation& operation) {
    ScheduleContext context;
    context.operation = operation;
    context.all_held = true;
    return context;
}

TEST(ScheduleForms, KnowOperationsByAllTheirNames) {
    for (const char* name : {"bcast", "all_gather", "AllGather", "gossip"})
        EXPECT_EQ(told_by(std::string(name) + "\non line:3\nround 1: 0 -> 1 {0}\n").collective.operation,
                  operation_named(name));
}

TEST(ScheduleForms, OfChunksTakeNoNumberOfPackets) {
    ScheduleContext context;
    context.packets_each = 3;
    EXPECT_THAT([&] { (void)told_by("<algo name=\"x\">", context); },
                testing::ThrowsMessage<RequestError>(HasSubstr("--packets: the chunks of msccl say how many packets")));
}

TEST(ScheduleForms, ReadAnExchangeAsTwoTransfersOfItsRound) {
    const ToldSchedule both = told_by("on line:3\nnone\nround 1: 0<->1\nround 2: 0 <-> 2 via 1, 1 -> 0\n");
    const ToldSchedule each =
        told_by("on line:3\nnone\nround 1: 0 -> 1, 1 -> 0\nround 2: 0 -> 2, 2 -> 0 via 1, 1 -> 0\n");
    EXPECT_TRUE(both.schedule == each.schedule);
    EXPECT_THAT(why_not("on line:3\nallgather\nround 1: 0 <-> 1 {0}\n"),
                HasSubstr("column 19: which packets go which way? want two transfers, 0 -> 1 {4}, 1 -> 0 {5}"));
    EXPECT_THAT(why_not("on line:3\nnone\nround 1: 0 <- 1\n"), HasSubstr("column 12"));
}

TEST(ScheduleForms, LetMessagesCarryAllThatTheirSendersHoldWhereThatIsPromised) {
    const std::string doubling = "on hypercube:2\nround 1: 0 <-> 1, 2 <-> 3\nround 2: 0 <-> 2, 1 <-> 3\n";
    for (const Operation& operation : {Operation::allgather, Operation::allreduce, Operation::barrier})
        EXPECT_TRUE(judged(told_by(doubling, all_held(operation))).lawful()) << name(operation);
    const std::string collect = "on complete:3\nround 1: 1 -> 0\nround 2: 2 -> 0\nround 3: 0 -> 1\nround 4: 0 -> 2\n";
    EXPECT_TRUE(judged(told_by(collect, all_held(Operation::allreduce))).lawful())
        << "who has all contributions sends the result";
    const std::string in_one_round = "on complete:3\nround 1: 1 -> 0, 0 -> 2\nround 2: 2 -> 0, 0 -> 1\n";
    EXPECT_FALSE(judged(told_by(in_one_round, all_held(Operation::allreduce))).delivered)
        << "what comes in a round is not sent in it";
    const std::string twice = "on complete:3\nround 1: 0 <-> 1\nround 2: 1 <-> 2\nround 3: 0 <-> 2\n";
    EXPECT_FALSE(judged(told_by(twice, all_held(Operation::allreduce))).lawful()) << "node 2 gets 0 and 1 again";
}

TEST(ScheduleForms, RefuseAPromiseThatSaysNothing) {
    const auto refused = [](const std::string& text, const Operation& operation) {
        try {
            (void)told_by(text, all_held(operation));
        } catch (const RequestError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_THAT(refused("on line:3\nround 1: 0 -> 1\n", Operation::scatter),
                HasSubstr("is of operation scatter; --promise all-held is for barrier, broadcast, gather"));
    EXPECT_THAT(refused("on line:3\nround 1: 0 -> 1 {0}\n", Operation::allgather),
                HasSubstr("--promise all-held: no message leaves open what it carries"));
    EXPECT_THAT(refused("num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n", Operation::scan),
                HasSubstr("is of operation scan; --promise all-held is for"));
    EXPECT_THAT(why_not("on line:3\nallgather\nround 1: 0 -> 1\n"), HasSubstr("; or say --promise all-held"));
}

TEST(ScheduleForms, ReadNodesByCoordinatesAndWaysByTheirNodes) {
    const ToldSchedule told = told_by("on mesh:3x3\nscatter from (0,0)\nround 1: (0,0) -> (1,1) via (1,0) {4}\n");
    const Transfer transfer = told.schedule.transfer(0);
    EXPECT_EQ(transfer.to, 4U);
    ASSERT_EQ(transfer.route.size(), 2U);
    EXPECT_EQ(told.topology->across(0, transfer.route[0]).node, 3U);
}

TEST(ScheduleForms, ReadPairsInAnAlltoallAndSteps) {
    const ToldSchedule told = told_by("on complete:4\nalltoall\nround 1: 0 -> 1 {0>1, 0..2 step 2>3}\n");
    const Transfer transfer = told.schedule.transfer(0);
    ASSERT_EQ(transfer.packets.size(), 2U);
    EXPECT_EQ(transfer.packets[0], (PacketBlock{1, 1, 1, 0, 1, 1}));
    EXPECT_EQ(transfer.packets[1], (PacketBlock{3, 1, 1, 0, 2, 2}));
}

TEST(ScheduleForms, ReadTheResultOfAnAllreduce) {
    const ToldSchedule told = told_by("on line:2\nallreduce\nround 1: 1 -> 0 {1}\nround 2: 0 -> 1 {result}\n");
    EXPECT_EQ(told.schedule.transfer(1).packets.front(), result_packet(2));
}

TEST(ScheduleForms, WhatTheUserSaysHoldsAgainstTheFile) {
    ScheduleContext context = on("complete:3");
    context.operation = Operation::broadcast;
    context.root = "2";
    const ToldSchedule told = told_by("on line:3\nscatter from 0\nround 1: 2 -> 0\n", context);
    EXPECT_EQ(told.topology->spec(), "complete:3");
    EXPECT_EQ(told.collective.operation, Operation::broadcast);
    EXPECT_EQ(told.collective.root, 2U);
}

TEST(ScheduleForms, ReadRoundsThatAreSilentOnPurpose) {
    const ToldSchedule told = told_by("on line:3\nbroadcast\nround 1: 0 -> 1\nrounds 2..4: silent\nround 5: 1 -> 2\n");
    EXPECT_EQ(told.schedule.silences(), (std::vector<Silence>{{2, 3}}));
    EXPECT_TRUE(judged(told).lawful());
    EXPECT_FALSE(judged(told_by("on line:3\nbroadcast\nround 1: 0 -> 1\nround 5: 1 -> 2\n")).lawful());
}

TEST(ScheduleForms, RefuseWrongTextWithLineColumnAndWhatWouldBeRight) {
    const std::string head = "on hypercube:2\nscatter from 0\n";
    EXPECT_THAT(why_not(head + "round 1: 0 -> 4 {1}\n"),
                HasSubstr(": line 3, column 15: '4' is no node: hypercube:2 has nodes 0 to 3"));
    EXPECT_THAT(why_not(head + "round 1: 0 1 {1}\n"),
                HasSubstr(": line 3, column 12: '1'; want '->' after the sender"));
    EXPECT_THAT(why_not(head + "round 1: 0 -> 1\n"),
                HasSubstr(": line 3, column 10: which packets? Of operation scatter a transfer says it: 0 -> 1 {4,5}"));
    EXPECT_THAT(why_not(head + "round 1: 0 -> 1 {}\n"), HasSubstr("column 18: no packet; want at least one"));
    EXPECT_THAT(why_not(head + "round 1: 0 -> 1 {1,}\n"), HasSubstr("a packet is missing after the comma"));
    EXPECT_THAT(why_not(head + "round 1: 0 -> 1 {1, 1}\n"), HasSubstr("column 21: names a packet twice"));
    EXPECT_THAT(why_not(head + "round 1: 0 -> 1 {1>2}\n"),
                HasSubstr("column 18: from>to names packets of an alltoall"));
    EXPECT_THAT(why_not(head + "round 1: 0 -> 1 {3..1}\n"), HasSubstr("is not a packet behind the first"));
    EXPECT_THAT(why_not(head + "round 1: 0 -> 0 {1}\n"), HasSubstr("sends to itself"));
    EXPECT_THAT(why_not(head + "round 0: 0 -> 1 {1}\n"), HasSubstr("'0:' is not a round; want a whole number from 1"));
    EXPECT_THAT(why_not(head + "round 2: 0 -> 1 {1}\nround 1: 0 -> 2 {2}\n"),
                HasSubstr(": line 4, column 7: round 1 stands after round 2"));
    EXPECT_THAT(why_not(head + "0 -> 1 {1}\n"), HasSubstr("want 'round 1: 0 -> 1', or before it"));
    EXPECT_THAT(why_not("broadcast\nround 1: 0 -> 1\n"), HasSubstr("does not say on which topology it runs"));
    EXPECT_THAT(why_not("on line:3\nround 1: 0 -> 1\n"),
                HasSubstr("does not say what the schedule does; want a line such as 'scatter from 0'"));
    EXPECT_THAT(why_not("on hypercub:2\nround 1: 0 -> 1\n"),
                HasSubstr(": line 1, column 4: topology 'hypercub:2': unknown family"));
    EXPECT_THAT(why_not(head + std::string("round 1: 0 -> 1 {1}\0\n", 21)), HasSubstr("column 20: a NUL byte"));
    EXPECT_THAT(
        why_not("hello\n"),
        HasSubstr(" is in no known form; want one of json, text, goal, msccl, mscclpp, sccl, teccl, simgrid, csv"));
    EXPECT_THAT(why_not(""), HasSubstr(" is in no known form"));
}

TEST(ScheduleForms, RefuseAHeaderThatSaysAThingTwice) {
    const std::string begin = "on ring:4\nbroadcast\npackets 2\n";
    EXPECT_EQ(told_by(begin + "round 1: 0 -> 1 {0}\n").collective.packets_each, 2U);
    for (const char* again : {"on ring:4\n", "on hypercube:2\n", "scatter\n", "none\n", "packets 1\n"})
        EXPECT_THAT(why_not(begin + again + "round 1: 0 -> 1 {0}\n"), HasSubstr("line 4")) << again;
}

TEST(ScheduleForms, TakeAPacketWithoutQuotesBeforeAnEmptyColumn) {
    EXPECT_EQ(told_by("# on ring:4\n# scatter\nround,from,to,packets,via\n1,0,1,1,\n").schedule.size(), 1U);
}

TEST(ScheduleForms, RefuseJsonThatIsTooDeep) {
    const std::string deep(100000, '[');
    for (const char* begin : {R"({"7-Flows": )", R"({"gpus": {"threadblocks": )"})
        EXPECT_THAT(why_not(begin + deep + std::string(100000, ']') + "}"), HasSubstr("101 deep; want at most 100"));
}

TEST(ScheduleForms, RefuseALineThatIsTooLongWithoutReadingItAll) {
    EXPECT_THAT(why_not("on line:3\n" + std::string(Lines::line_bytes_max + 10, ' ')),
                HasSubstr(": line 2, column 1: is longer"));
}

// -------------------------------------------------------------------------------------------------------------------- csv

TEST(ScheduleForms, ReadATableInWhateverOrderItsColumnsStand) {
    const ToldSchedule told =
        told_by("# on line:3\r\n# scatter from 0\r\nfrom,to,round,packets\r\n0,1,1,\"1, 2\"\r\n1,2,2,2\r\n");
    EXPECT_TRUE(judged(told).lawful());
    EXPECT_EQ(told.collective.operation, Operation::scatter);
}

TEST(ScheduleForms, RefuseAWrongTableWithLineColumnAndWhatWouldBeRight) {
    EXPECT_THAT(why_not("round,from,to,port\n"), HasSubstr(": line 1, column 15: 'port'; want a line of names"));
    EXPECT_THAT(why_not("round,from,to,to\n"), HasSubstr("a second column 'to'"));
    EXPECT_THAT(why_not("from,to\n1,2\n"), HasSubstr("no column 'round'"));
    EXPECT_THAT(why_not("# on line:3\n# broadcast\nround,from,to\n1,0\n"),
                HasSubstr(": line 4, column 4: the line ends here; want ','"));
    EXPECT_THAT(why_not("# on line:3\n# broadcast\nround,from,to\n1,0,1,2\n"),
                HasSubstr("more fields than the line of names"));
}

// ------------------------------------------------------------------------------------------------------------------- goal

/// A broadcast on four ranks: 0 to 1, then 0 to 2 and 1 to 3.
std::string goal_of(const std::string& before_rank_0 = "", const std::string& last = "requires r1") {
    return "num_ranks 4\n" + before_rank_0 +
           "rank 0 {\ns1: send 64b to 1 tag 7 nic 0\ns2: send 64b to 2 tag 7\ns2 requires s1\n}\n"
           "rank 1 {\nr1: recv 64b from 0 tag 7\nc: calc 100\ns2: send 64b to 3 tag 7\nc requires r1\ns2 " +
           (last == "requires r1" ? std::string("requires c") : last) +
           "\n}\nrank 2 {\nrecv 64b from 0 tag 7\n}\nrank 3 {\nrecv 64b from 1 tag -1\n}\n";
}

TEST(ScheduleForms, GiveMessagesOfGoalTheEarliestRoundsThatThePortsAllow) {
    ScheduleContext context = on("hypercube:2");
    context.operation = Operation::broadcast;
    const ToldSchedule told = told_by(goal_of(), context);
    const Verdict verdict = judged(told);
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.metrics.rounds, 2U);
    EXPECT_THAT(told.remarks, testing::ElementsAre("rounds 2, the least (critical path), on a 1-port full duplex, "
                                                   "store-and-forward machine"));
}

TEST(ScheduleForms, JudgeOnlyTheMachinesRulesOfGoalWithoutAnOperation) {
    const ToldSchedule told = told_by(goal_of());
    EXPECT_EQ(told.topology->spec(), "complete:4");
    EXPECT_FALSE(told.collective.promises());
    EXPECT_TRUE(judged(told).lawful());
    ASSERT_EQ(told.judgement.not_judged.size(), 1U);
    EXPECT_EQ(told.judgement.not_judged.front().what, "delivery");
}

TEST(ScheduleForms, SerializeWhatGoalLeavesOpenByThePortsOfTheMachine) {
    // The root of a star sends to all at once; one port makes it three rounds, all ports one.
    const std::string star =
        "num_ranks 4\nrank 0 {\nsend 8b to 1\nsend 8b to 2\nsend 8b to 3\n}\n"
        "rank 3 {\nrecv 8b from 0\n}\nrank 2 {\nrecv 8b from 0\n}\nrank 1 {\nrecv 8b from 0\n}\n";
    EXPECT_EQ(told_by(star).schedule.rounds(), 3U);
    ScheduleContext all;
    all.machine.ports = PortLimit::all();
    EXPECT_EQ(told_by(star, all).schedule.rounds(), 1U);
    ScheduleContext two;
    two.machine.ports = PortLimit(2);
    EXPECT_EQ(told_by(star, two).schedule.rounds(), 2U);
}

TEST(ScheduleForms, RefuseGoalThatNamesWhatIsNotThere) {
    EXPECT_THAT(why_not("num_ranks 2\nrank 0 {\nsend 8b to 2\n}\n"),
                HasSubstr("'2' is not a rank; want a whole number from 0 to 1"));
    EXPECT_THAT(why_not("num_ranks 2\nrank 0 {\na: send 8b to 1\na requires b\n}\n"),
                HasSubstr("no operation of rank 0 has the label 'b'"));
    EXPECT_THAT(why_not("num_ranks 2\nrank 0 {\n"), HasSubstr("ends inside rank 0"));
    EXPECT_THAT(why_not("num_ranks 99999999999\n"), HasSubstr("is not a number of ranks"));
}

TEST(ScheduleForms, ReadWhatGoalSaysOfPacketsInComments) {
    ScheduleContext context = on("complete:3");
    context.operation = Operation::scatter;
    const std::string text =
        "num_ranks 3\nrank 0 {\n// @pkt 1..2\ns: send 16b to 1\n}\n"
        "rank 1 {\nr: recv 16b from 0\n// @pkt 2\ns: send 8b to 2\ns requires r\n}\nrank 2 {\nrecv 8b from 1\n}\n";
    EXPECT_TRUE(judged(told_by(text, context)).lawful());
}

// ---------------------------------------------------------------------------------------------------------------- simgrid

TEST(ScheduleForms, ReadATraceWhoseWaitsOrderWhatARankSends) {
    const std::string trace =
        "0 init\n0 isend 1 7 64\n0 waitall\n0 send 2 7 64\n0 finalize\n1 init\n1 recv 0 7 64\n1 compute 5e9\n"
        "1 send 3 7 64\n2 init\n2 irecv 0 7 64\n2 wait 0 2 7\n3 init\n3 recv 1 7 64\n";
    ScheduleContext context = on("hypercube:2");
    context.operation = Operation::broadcast;
    const ToldSchedule told = told_by(trace, context);
    EXPECT_TRUE(judged(told).lawful());
    EXPECT_EQ(told.schedule.rounds(), 2U);
    context.machine.ports = PortLimit::all();
    EXPECT_EQ(told_by(trace, context).schedule.rounds(), 2U) << "rank 0 waits between its sends";
    EXPECT_EQ(why_not("0 isend 1 7 64\n0 wait 0 2 7\n"),
              ": line 2, column 13: rank 0 waits for a message from 0 to 2 with tag 7, of which nothing is under way");
}

// ------------------------------------------------------------------------------------------------------------------- sccl

/// An allgather on two ranks, or with other chunks.
std::string sccl_of(const std::string& sends, const std::string& post = "[0,1]") {
    return R"({"msccl_type":"algorithm","name":"x","collective":{"msccl_type":"collective","nodes":2,"chunks":[)"
           R"({"msccl_type":"chunk","pre":[0],"post":)" +
           post +
           R"(,"addr":0},{"msccl_type":"chunk","pre":[1],"post":[0,1],"addr":1}]},)"
           R"("steps":[{"msccl_type":"step","rounds":1,"sends":)" +
           sends + R"(}],"topology":{"msccl_type":"topology","links":[[0,1],[1,0]],"switches":[]}})";
}

TEST(ScheduleForms, TakeTheChunksOfScclForThePacketsOfTheOperationThatHasThem) {
    const ToldSchedule told = told_by(sccl_of("[[0,0,1],[1,1,0]]"));
    EXPECT_EQ(told.collective.operation, Operation::allgather);
    EXPECT_TRUE(judged(told).lawful());
    EXPECT_FALSE(judged(told_by(sccl_of("[[0,0,1]]"))).delivered);
}

TEST(ScheduleForms, TakeOtherChunksOfScclForACollectiveOfItsOwn) {
    const ToldSchedule told = told_by(sccl_of("[[1,1,0]]", "[0]"));
    EXPECT_TRUE(told.collective.is_own() || told.collective.operation == Operation::gather);
    EXPECT_TRUE(judged(told).lawful());
}

TEST(ScheduleForms, RefuseWrongScclWithThePlaceAndWhatWouldBeRight) {
    EXPECT_THAT(why_not(sccl_of("[[5,0,1]]")), HasSubstr("sends address 5 in steps[0].sends[0], which no chunk has"));
    EXPECT_THAT(why_not(sccl_of("[[0,0,2]]")), HasSubstr("want a whole number from 0 to 1"));
    EXPECT_THAT(why_not(sccl_of("[[0,0]]")), HasSubstr("want [address, from, to]"));
    EXPECT_THAT(why_not(R"({"msccl_type":"algorithm"})"), HasSubstr("has no 'collective'"));
    EXPECT_THAT(why_not(R"({"msccl_type":)"), HasSubstr("parse error"));
}

// -------------------------------------------------------------------------------------------------------------- and back

/// Sorts the transfers of a round by sender and port, and splits their packets: the order has no meaning.
ToldSchedule in_order(ToldSchedule told) {
    std::vector<std::size_t> order(told.schedule.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
        const Transfer transfer = told.schedule.transfer(i);
        return std::tuple(told.schedule.round(i), transfer.from, transfer.route.front());
    });
    Schedule sorted;
    for (const std::size_t i : order) {
        Transfer transfer = told.schedule.transfer(i);
        std::set<std::pair<std::uint32_t, std::uint32_t>> packets;
        for (const PacketBlock& block : transfer.packets)
            for (std::uint32_t r = 0; r < block.rows; ++r)
                for (std::uint32_t c = 0; c < block.count; ++c)
                    packets.emplace(block.all_rows()[r], block.columns()[c]);
        std::vector<PacketBlock> each;
        for (const auto& [row, column] : packets) each.push_back({column, 1, 1, row});
        transfer.packets = each;
        sorted.add(told.schedule.round(i), transfer);
    }
    told.schedule = sorted;
    return told;
}

class EveryWrittenForm : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryWrittenForm, GivesTheSameScheduleBack) {
    const std::vector<ToldSchedule> all = {
        recorded("broadcast", "sbt", "hypercube:4"),
        recorded("scatter", "sbt", "hypercube:4"),
        recorded("gather", "rda-product", "mesh:3x5", Switching::wormhole),
        recorded("allgather", "bruck", "complete:7"),
        recorded("alltoall", "exchange", "hypercube:3"),
        recorded("alltoall", "bruck", "complete:6"),
        recorded("allreduce", "reduce-broadcast", "mesh:3x3"),
        recorded("scan", "exchange", "hypercube:3"),
        recorded("broadcast", "circulant", "complete:6", Switching::store_and_forward, 5),
        recorded("broadcast", "sbt", "hypercube:3", Switching::store_and_forward, 4),
        recorded("scatter", "sbt", "hypercube:3", Switching::store_and_forward, 3),
        recorded("gather", "rda-product", "mesh:3x3", Switching::wormhole, 3),
        recorded("allgather", "exchange", "hypercube:3", Switching::store_and_forward, 3),
        recorded("alltoall", "exchange", "hypercube:3", Switching::store_and_forward, 2),
        recorded("alltoall", "bruck", "complete:5", Switching::store_and_forward, 3),
        recorded("reduce", "sbt", "hypercube:3", Switching::store_and_forward, 3),
        recorded("allreduce", "halving-doubling", "hypercube:3", Switching::store_and_forward, 8),
        recorded("allreduce", "census", "complete:6", Switching::store_and_forward, 2),
        recorded("scan", "exchange", "hypercube:3", Switching::store_and_forward, 2),
        recorded("scan", "gather-scatter", "petersen"),
        recorded("reduce-scatter", "exchange", "hypercube:3"),
        recorded("barrier", "exchange", "hypercube:3"),
        recorded("permutation", "bit-pairs", "hypercube:3", Switching::store_and_forward, 2),
        recorded("reduce-scatter", "exchange", "hypercube:3", Switching::store_and_forward, 2),
    };
    for (const ToldSchedule& told : all) {
        if (GetParam() == "msccl" && (told.collective.folds() || told.collective.signals())) continue;  // not written
        SCOPED_TRACE(told.topology->spec());
        const ToldSchedule back = told_by(text_of(told, GetParam()));
        EXPECT_EQ(text_of(in_order(back), "text"), text_of(in_order(told), "text"));
        EXPECT_EQ(back.collective.operation, told.collective.operation);
        EXPECT_EQ(back.collective.root, told.collective.root);
        EXPECT_EQ(back.collective.packets_each, told.collective.packets_each);
        EXPECT_EQ(back.collective.in_runs, told.collective.in_runs);
        EXPECT_EQ(back.topology->spec(), told.topology->spec());
    }
}

// A chunk would hold the fold of both values, of which node 1 can use one.
TEST(FormsOfChunks, RefuseAMessageWhoseValuesMustStayApart) {
    const auto written = [](const std::string& rounds) {
        return text_of(told_by("on complete:3\nscan\nin-runs\n" + rounds), "msccl");
    };
    try {
        (void)written("round 1: 2 -> 0 {2}\nround 2: 0 -> 1 {0, 2}\nround 3: 1 -> 2 {0..1}\n");
        ADD_FAILURE() << "written";
    } catch (const RequestError& error) {
        EXPECT_THAT(error.what(), HasSubstr("here values must stay apart"));
    }
    EXPECT_NO_THROW((void)written("round 1: 0 -> 1 {0}\nround 2: 1 -> 2 {0..1}\n"));
}

INSTANTIATE_TEST_SUITE_P(Forms, EveryWrittenForm, testing::Values("json", "text", "csv", "goal", "msccl", "simgrid"),
                         [](const auto& form) { return std::string(form.param); });

TEST(ScheduleForms, NameThePacketsOfANodeThatHasSeveral) {
    const std::string header = "on hypercube:2\nscatter from 0\npackets 3\n";
    const ToldSchedule all = told_by(header + "round 1: 0 -> 1 {1..2}, 0 -> 2 {3:0..1}\n");
    EXPECT_EQ(all.collective.packets_each, 3U);
    EXPECT_EQ(all.schedule.transfer(0).packets.front(), (PacketBlock{1, 1, 2, 0, 1, 3}));
    EXPECT_EQ(all.schedule.transfer(1).packets.front(), (PacketBlock{3, 1, 1, 0, 1, 2}));
    EXPECT_EQ(told_by("on hypercube:2\nallreduce\npackets 4\nround 1: 0 -> 1 {result:2..3}\n")
                  .schedule.transfer(0)
                  .packets.front(),
              (PacketBlock{4, 1, 1, 2, 1, 2}));
    ScheduleContext two;
    two.packets_each = 2;
    EXPECT_EQ(told_by(header + "round 1: 0 -> 1 {1}\n", two).collective.packets_each, 2U) << "what the user says holds";
    EXPECT_THAT(why_not("on hypercube:2\nscatter from 0\npackets 0\nround 1: 0 -> 1 {1}\n"),
                HasSubstr("a number of packets"));
    EXPECT_THAT(why_not("on hypercube:2\nbarrier\npackets 2\nround 1: 0 -> 1 {1}\n"),
                HasSubstr("a barrier has no packets; leave it out"));
}

// 2 gets {0} and {3} in one message and sends {0} on.
TEST(ScheduleForms, SayThatPartialResultsOfConsecutiveNodesStayApart) {
    const std::string rounds = "round 1: 0 -> 2 {0}, 3 -> 2 {3}\nround 2: 2 -> 1 {0,3}\nround 3: 1 -> 3 {0}\n";
    const auto parted = [&](const std::string& header) {
        const ToldSchedule told = told_by(header + rounds);
        return judged(told).count(Rule::delivery);
    };
    EXPECT_LT(parted("on complete:4\nscan\nin-runs\n"), parted("on complete:4\nscan\n"));
    EXPECT_TRUE(told_by("on complete:4\nscan\nin-runs\n" + rounds).collective.in_runs);
    EXPECT_FALSE(told_by("on complete:4\nscatter from 0\nin-runs\nround 1: 0 -> 2 {2}\n").collective.in_runs);
}

// 2 gets {0, 1}, and sends {1} on: as long as nothing is folded nothing is taken apart, and each contribution is a packet.
TEST(ScheduleForms, SayThatNothingIsFoldedBeforeTheEnd) {
    const std::string rounds = "round 1: 0 -> 1 {0}\nround 2: 1 -> 2 {0, 1}\nround 3: 2 -> 3 {1}\n";
    const auto verdict = [&](const std::string& header) { return judged(told_by(header + rounds)); };
    const Verdict folded = verdict("on complete:4\nallreduce\n");
    const Verdict unfolded = verdict("on complete:4\nallreduce\nunfolded\n");
    EXPECT_LT(unfolded.count(Rule::delivery), folded.count(Rule::delivery));
    EXPECT_EQ(folded.metrics.volume, 3U * 64);
    EXPECT_EQ(unfolded.metrics.volume, 4U * 64);
    const ToldSchedule told = told_by("on complete:4\nallreduce\nunfolded\n" + rounds);
    EXPECT_TRUE(told.collective.unfolded);
    EXPECT_TRUE(told.collective.in_runs);
    EXPECT_FALSE(told_by("on complete:4\nscatter from 0\nunfolded\nround 1: 0 -> 2 {2}\n").collective.unfolded);
}

TEST(ScheduleForms, SayHowLargePacketsAre) {
    const std::string rounds = "round 1: 0 -> 1 {1}, 0 -> 2 {2}\n";
    const ToldSchedule told = told_by("on star:4\nscatter from 0\nsizes 0,100,7,0\n" + rounds);
    EXPECT_EQ(judged(told).metrics.volume, 100U);
    EXPECT_EQ(judged(told).metrics.bytes, 107U);
    EXPECT_EQ(told.collective.packets_each, 1U);
    EXPECT_THAT(why_not("on star:4\nbroadcast from 0\nsizes 0,100,7,0\n" + rounds),
                HasSubstr("every node has the same"));
    EXPECT_THAT(why_not("on star:4\nscatter from 0\nsizes 0,100\n" + rounds), HasSubstr("takes 4"));
}

TEST(ScheduleForms, AStepBeyondTheLastPacketNamesThatPacketAlone) {
    const ToldSchedule told = told_by("on mesh:2x3\nscatter from 0\nround 1: 0 -> 1 {3..5 step 3}\n");
    EXPECT_EQ(told.schedule, told_by("on mesh:2x3\nscatter from 0\nround 1: 0 -> 1 {3}\n").schedule);
}

RC_GTEST_PROP(ScheduleForms, NeverFailInAnotherWayThanByARequestError, ()) {
    const std::string valid =
        "on mesh:2x3\nscatter from 0\nround 1: 0 -> 1 {1, 2}, 0->3 via 1 {3..5 step 2}\nrounds 2..3: silent\nround 4: "
        "1 -> 2 {2}\n";
    std::string text = valid;
    const auto changes = *rc::gen::inRange(1, 6);
    for (int i = 0; i < changes; ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
        const std::string letters = " ,{}->:.0123456789()\"#\nviaround";
        const char letter = letters[*rc::gen::inRange<std::size_t>(0, letters.size())];
        switch (*rc::gen::inRange(0, 3)) {
            case 0: text[at] = letter; break;
            case 1: text.insert(at, 1, letter); break;
            default: text.erase(at, 1);
        }
        if (text.empty()) text = " ";
    }
    try {
        const ToldSchedule told = told_by(text);
        const ToldSchedule again = told_by(text_of(told, "text"));
        RC_ASSERT(again.schedule == told.schedule);
    } catch (const RequestError& error) {
        RC_ASSERT(std::string(error.what()).find('\n') == std::string::npos);
    }
}

}  // namespace
}  // namespace kport
