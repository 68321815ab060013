/// @file goal_test.cpp   Programs of ranks in GOAL and SimGrid traces: each rule is broken and found.
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/files/schedule_forms.hpp"
#include "emulator/base/error.hpp"

namespace kport {
namespace {

using testing::Contains;
using testing::HasSubstr;

ToldSchedule read_as(const std::string& text, const Operation& operation) {
    std::istringstream in(text);
    ScheduleContext context;
    context.operation = operation;
    return read_any_schedule(in, "x", context).told;
}

/// The names of the faults, in order; "size" once for each.
std::vector<std::string> faults(const std::string& text, const Operation& operation = Operation::none) {
    std::vector<std::string> names;
    for (const FoundFault& one : read_as(text, operation).judgement.findings) names.emplace_back(name(one.fault));
    return names;
}

std::string first_fault(const std::string& text, const Operation& operation = Operation::none) {
    const ToldSchedule told = read_as(text, operation);
    return told.judgement.findings.empty() ? "" : told.judgement.findings.front().text;
}

std::string why_refused(const std::string& text) {
    try {
        (void)read_as(text, Operation::none);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Goal, FindsMessagesWithOneEnd) {
    EXPECT_THAT(faults("num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\n}\n"), ElementsAre("unmatched"));
    EXPECT_THAT(faults("num_ranks 2\nrank 0 {\nrecv 8b from 1\n}\nrank 1 {\n}\n"), ElementsAre("unmatched"));
    EXPECT_THAT(faults("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1\n}\nrank 1 {\nrecv 8b from 0 tag 2\n}\n"),
                ElementsAre("unmatched", "unmatched"));
}

TEST(Goal, PrintsTheCycleOfADeadlockStepByStep) {
    const std::string text =
        "num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb requires a\n}\n"
        "rank 1 {\na: recv 8b from 0\nb: send 8b to 0\nb requires a\n}\n";
    EXPECT_THAT(faults(text), ElementsAre("deadlock"));
    const std::string cycle = first_fault(text);
    for (const char* step : {"rank 0 line 3 (receive from 1)", "rank 0 line 4 (send to 1)",
                             "rank 1 line 8 (receive from 0)", "rank 1 line 9 (send to 0)"})
        EXPECT_THAT(cycle, HasSubstr(step));
}

TEST(Goal, FindsMessagesLargerThanTheirReceives) {
    const auto of = [](int sent, int taken) {
        return "num_ranks 2\nrank 0 {\nsend " + std::to_string(sent) + "b to 1\n}\nrank 1 {\nrecv " +
               std::to_string(taken) + "b from 0\n}\n";
    };
    EXPECT_THAT(faults(of(8, 4), Operation::broadcast), ElementsAre("size"));
    EXPECT_THAT(faults(of(4, 8), Operation::broadcast), IsEmpty());
}

TEST(Goal, FindsSendsThatMayStartBeforeTheirDataIsThere) {
    const auto chain = [](const std::string& last) {
        return "num_ranks 3\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\na: recv 8b from 0\nb: send 8b to 2\n" + last +
               "}\nrank 2 {\nrecv 8b from 1\n}\n";
    };
    EXPECT_THAT(faults(chain("b requires a\n"), Operation::broadcast), IsEmpty());
    EXPECT_THAT(faults(chain("b irequires a\n"), Operation::broadcast), ElementsAre("order"));
    EXPECT_THAT(faults(chain(""), Operation::broadcast), ElementsAre("order"));
    EXPECT_THAT(first_fault(chain(""), Operation::broadcast), HasSubstr("missing: b requires a"));
    EXPECT_THAT(faults(chain("b requires a\n"), Operation::allgather), ElementsAre("delivery", "delivery"));
}

TEST(Goal, FindsPacketsThatComeAgainBesideMessagesThatAreOnlySignals) {
    const auto told = [](const std::string& more_of_0, const std::string& more_of_1) {
        return "num_ranks 2\nrank 0 {\na: send 8b to 1\nb: recv 1b from 1 tag 9\n" + more_of_0 +
               "}\nrank 1 {\nc: send 1b to 0 tag 9\nd: recv 8b from 0\nd requires c\n" + more_of_1 + "}\n";
    };
    EXPECT_THAT(faults(told("", ""), Operation::broadcast), IsEmpty());
    const std::string again = told("e: send 8b to 1 tag 2\n", "f: recv 8b from 0 tag 2\nf requires c\n");
    EXPECT_THAT(faults(again, Operation::broadcast), ElementsAre("NODUP"));
    EXPECT_THAT(first_fault(again, Operation::broadcast),
                HasSubstr("rank 1 line 11 (receive from 0) brings packet 0, which the rank receives twice"));
    const std::string back = told("e: recv 8b from 1 tag 2\n", "f: send 8b to 0 tag 2\nf requires d\n");
    EXPECT_THAT(faults(back, Operation::broadcast), ElementsAre("NOHO"));
}

TEST(Goal, JudgesReceivesOfAnyRankOnlyWhereNothingDependsOnWhichSendTheyTake) {
    const auto of = [](const std::string& required) {
        return "num_ranks 4\nrank 0 {\nrecv 8b from 1\n}\nrank 1 {\na: recv 8b from -1\nb: recv 8b from -1\n"
               "c: send 8b to 0\n" +
               required + "}\nrank 2 {\nsend 8b to 1\n}\nrank 3 {\nsend 8b to 1\n}\n";
    };
    EXPECT_THAT(read_as(of("c requires a\nc requires b\n"), Operation::reduce).judgement.not_judged, IsEmpty());
    EXPECT_FALSE(read_as(of("c requires a\n"), Operation::reduce).judgement.not_judged.empty());
}

/// Rank 0 sends 4 and 8 bytes to rank 1, which receives 4 and then 8.
std::string two_sizes(const std::string& order, const std::string& received = "d requires c\n") {
    return "num_ranks 2\nrank 0 {\na: send 4b to 1\nb: send 8b to 1\n" + order +
           "}\nrank 1 {\nc: recv 4b from 0\nd: recv 8b from 0\n" + received + "}\n";
}

TEST(Goal, MatchesStepsInTheOrderInWhichTheyArePostedNotInThatOfTheFile) {
    EXPECT_THAT(faults(two_sizes("b requires a\n")), IsEmpty());
    EXPECT_THAT(faults(two_sizes("a requires b\n")), Contains("size"));
    EXPECT_THAT(faults("num_ranks 2\nrank 0 {\na: recv 8b from 1 tag -1\nb: recv 8b from 1 tag 1\nb requires a\n}\n"
                       "rank 1 {\ns: send 8b to 0 tag 0\nt: send 8b to 0 tag 1\ns requires t\n}\n"),
                Contains("unmatched"));
    const auto answered = [](const std::string& waits) {  // `b` comes after `a` by way of rank 1
        return "num_ranks 2\nrank 0 {\nr: recv 8b from 1 tag 1\nb: send 8b to 1\na: send 8b to 1\nb requires r\n}\n"
               "rank 1 {\nc: recv 8b from 0\nd: recv 8b from 0\ns: send 8b to 0 tag 1\n" +
               waits + "d requires c\n}\n";
    };
    EXPECT_THAT(faults(answered("s requires c\n")), IsEmpty());
    EXPECT_THAT(faults(answered("s requires d\n")), Contains("deadlock"));
}

TEST(Goal, FindsMessagesThatAreTooLongInAnyOrderThatNothingForbids) {
    EXPECT_THAT(faults(two_sizes("")), Contains("size"));
    EXPECT_THAT(faults(two_sizes("", "")), Contains("size"));
    EXPECT_THAT(faults(two_sizes("b requires a\n", "")), Contains("size"));
}

TEST(Simgrid, JudgesReceivesOfAnyRankOnlyWhereSizesAndOtherReceivesDoNotDependOnThem) {
    const auto not_judged = [](const std::string& text) {
        return !read_as(text, Operation::none).judgement.not_judged.empty();
    };
    EXPECT_TRUE(not_judged("0 recv -555 0 8\n0 recv -555 0 4\n1 send 0 0 8\n2 send 0 0 4\n"));
    EXPECT_FALSE(not_judged("0 recv -555 0 8\n0 recv -555 0 8\n1 send 0 0 8\n2 send 0 0 4\n"));
    const std::string named = "0 recv -555 0 8\n0 recv 1 0 8\n1 send 0 0 8\n2 send 0 0 8\n";
    EXPECT_TRUE(not_judged(named));
    EXPECT_THAT(faults(named), IsEmpty());
    const std::string master =
        "0 recv -555 0 8\n0 send 1 1 8\n0 recv -555 0 8\n1 recv 0 1 8\n1 send 0 0 8\n2 send 0 0 8\n";
    EXPECT_FALSE(not_judged(master)) << "rank 1 sends only when rank 0 has received";
    EXPECT_THAT(faults(master), IsEmpty());
}

TEST(Goal, DoesNotJudgePacketsThatDependOnWhichSendAReceiveOfAnyRankTakes) {
    const auto of = [](const std::string& order) {
        return "num_ranks 4\n// kport: gather from 3\nrank 0 {\na: recv 8b from -1\nb: recv 8b from -1\n"
               "// @pkt 0..2\ns: send 24b to 3\ns requires a\n" +
               order +
               "}\nrank 1 {\n// @pkt 1\nsend 8b to 0\n}\nrank 2 {\n// @pkt 2\nsend 8b to 0\n}\n"
               "rank 3 {\nrecv 24b from 0\n}\n";
    };
    EXPECT_THAT(read_as(of("s requires b\n"), Operation::gather).judgement.not_judged, IsEmpty());
    EXPECT_FALSE(
        read_as(of("// @pkt 2\nt: send 8b to 0 tag 9\nt requires b\nrecv 8b from 0 tag 9\n"), Operation::gather)
            .judgement.not_judged.empty());
}

TEST(Simgrid, RefusesNumbersThatDoNotEndAtABlank) {
    for (const std::string line : {"0 send 1 0.8", "0 send 1 0.5 8", "0 recv 1 0-1", "0 recv 1 0-5 6",
                                   "0 recv -5551 0 8", "0 recv 1 -4441 8", "0 send 1 0 8 1.5"})
        EXPECT_THAT(why_refused(line + "\n1 init\n"), HasSubstr("a blank behind")) << line;
}

TEST(Simgrid, RefusesRootsAndDatatypesOfCollectiveActionsThatAreNotThere) {
    EXPECT_THAT(why_refused("0 bcast 5 99\n1 bcast 5 99\n"), HasSubstr("names rank 99"));
    EXPECT_THAT(why_refused("0 bcast 5 0 99\n1 bcast 5 0 99\n"), HasSubstr("datatype"));
    EXPECT_THAT(why_refused("0 gather 5 5 2\n1 gather 5 5 2\n"), HasSubstr("names rank 2"));
    EXPECT_THAT(why_refused("0 allreduce 5 5 38\n1 allreduce 5 5 38\n"), HasSubstr("datatype"));
    EXPECT_EQ(why_refused("0 reduce 5 5 1 6\n1 reduce 5 5 1 6\n"), "accepted");
}

TEST(Goal, SaysThatATraceHangsWithoutBuffersAndThatRanksHaveNoBlock) {
    const ToldSchedule told = read_as(
        "num_ranks 3\nrank 0 {\na: send 8b to 1\nb: recv 8b from 1\nb requires a\n}\n"
        "rank 1 {\na: send 8b to 0\nb: recv 8b from 0\nb requires a\n}\n",
        Operation::none);
    EXPECT_THAT(told.judgement.findings, IsEmpty());
    EXPECT_THAT(told.remarks, testing::IsSupersetOf({HasSubstr("no block"), HasSubstr("messages are buffered here")}));
}

TEST(Goal, LetsMessagesOfARankToItselfTakeNoRound) {
    const ToldSchedule told = read_as(
        "num_ranks 2\nrank 0 {\na: send 8b to 0\nb: recv 8b from 0\nc: send 8b to 1\n"
        "c requires b\n}\nrank 1 {\nrecv 8b from 0\n}\n",
        Operation::broadcast);
    EXPECT_EQ(told.schedule.size(), 1U);
    EXPECT_EQ(told.schedule.rounds(), 1U);
}

TEST(Simgrid, CountsBytesByDatatypeAndReadsRealNumbers) {
    const auto of = [](const std::string& sent, const std::string& taken) {
        return "0 init\n1 init\n0 send 1 0 " + sent + "\n1 recv 0 0 " + taken + "\n";
    };
    EXPECT_THAT(faults(of("1e2", "100")), IsEmpty());
    EXPECT_THAT(faults(of("1e2", "99")), ElementsAre("size"));
    EXPECT_THAT(faults(of("100 0", "100 1")), ElementsAre("size"));
    EXPECT_THAT(faults(of("100 1", "50 0")), IsEmpty());
    EXPECT_THAT(faults(of("100", "-1")), IsEmpty());
    EXPECT_THAT(why_refused(of("100xyz", "100")), HasSubstr("line 3"));
    EXPECT_THAT(why_refused(of("100 99", "100")), HasSubstr("datatype"));
    EXPECT_THAT(why_refused(of("100 1 7", "100")), HasSubstr("the end of the line"));
    EXPECT_THAT(why_refused(of("", "100")), HasSubstr("line 3"));
}

TEST(Simgrid, OrdersWhatComesBehindAWaitOrABarrier) {
    const auto of = [](const std::string& between) {
        return "0 isend 1 0 8\n0 finalize\n1 irecv 0 0 8\n" + between + "1 send 2 0 8\n2 recv 1 0 8\n";
    };
    EXPECT_THAT(faults(of(""), Operation::broadcast), ElementsAre("order"));
    EXPECT_THAT(faults(of("1 wait 0 1 0\n"), Operation::broadcast), IsEmpty());
    EXPECT_THAT(faults(of("1 waitall\n"), Operation::broadcast), IsEmpty());
    EXPECT_EQ(read_as("0 send 1 0 8\n0 barrier\n1 recv 0 0 8\n1 barrier\n2 barrier\n2 send 3 0 8\n3 barrier\n"
                      "3 recv 2 0 8\n",
                      Operation::none)
                  .schedule.rounds(),
              2U);
}

TEST(Simgrid, JudgesNoMessagesOfCollectiveActionsAndFindsThatRanksCallOthers) {
    EXPECT_THAT(faults("0 bcast 8\n1 barrier\n"), ElementsAre("deadlock"));
    EXPECT_THAT(faults("0 barrier\n1 barrier\n0 barrier\n"), ElementsAre("deadlock"));
    const ToldSchedule told = read_as("0 bcast 5e4\n1 bcast 5e4\n", Operation::broadcast);
    EXPECT_THAT(told.judgement.findings, IsEmpty());
    EXPECT_FALSE(told.judgement.not_judged.empty());
}

/// A chain of three ranks whose comments say what it carries.
std::string said_chain(const std::string& order, const std::string& packet) {
    return "num_ranks 3\n// kport: on line:3\n// kport: scatter from 0\nrank 0 {\n// @pkt 1..2\ns: send 16b to 1\n}\n"
           "rank 1 {\nr: recv 16b from 0\n// @pkt " +
           packet + "\ns: send 8b to 2\n" + order + "}\nrank 2 {\nr: recv 8b from 1\n}\n";
}

/// Recursive doubling on four ranks; `order`: what the second sends require.
std::string doubling(bool ordered) {
    std::string text = "num_ranks 4\n";
    for (unsigned rank = 0; rank < 4; ++rank) {
        text += fmt::format(
            "rank {0} {{\na: send 8b to {1} tag 1\nb: recv 8b from {1} tag 1\nc: send 8b to {2} tag 2\n"
            "d: recv 8b from {2} tag 2\n",
            rank, rank ^ 1U, rank ^ 2U);
        text += ordered ? "c requires b\n}\n" : "}\n";
    }
    return text;
}

TEST(Goal, IsJudgedCompletelyWhereMessagesArePromisedToCarryAllThatIsHeld) {
    const auto faults_of = [](const std::string& text, const Operation& operation) {
        std::istringstream in(text);
        ScheduleContext context;
        context.operation = operation;
        context.all_held = true;
        const ForeignJudgement judgement = read_any_schedule(in, "x", context).told.judgement;
        EXPECT_THAT(judgement.not_judged, IsEmpty());
        std::vector<std::string> names;
        for (const FoundFault& one : judgement.findings) names.emplace_back(name(one.fault));
        return names;
    };
    for (const Operation& operation : {Operation::allgather, Operation::allreduce}) {
        EXPECT_THAT(faults_of(doubling(true), operation), IsEmpty());
        EXPECT_THAT(faults_of(doubling(false), operation), Contains("order")) << "the second send may go first";
        const ToldSchedule open = read_as(doubling(true), operation);
        ASSERT_EQ(open.judgement.not_judged.size(), 1U);
        EXPECT_THAT(open.judgement.not_judged.front().why,
                    HasSubstr("; --promise all-held: all that its sender holds"));
    }
    const std::string one_way = "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n";
    EXPECT_THAT(faults_of(one_way, Operation::allgather), ElementsAre("delivery"));
    const std::string stuck =
        "num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb requires a\n}\n"
        "rank 1 {\na: recv 8b from 0\nb: send 8b to 0\nb requires a\n}\n";
    EXPECT_THAT(faults_of(stuck, Operation::allgather), ElementsAre("deadlock"));
}

TEST(Goal, SendsThatSayTheirPacketsMustRequireTheReceivesThatBringThem) {
    EXPECT_THAT(faults(said_chain("s requires r\n", "2"), Operation::scatter), IsEmpty());
    EXPECT_THAT(faults(said_chain("", "2"), Operation::scatter), ElementsAre("order"));
    EXPECT_THAT(first_fault(said_chain("", "2"), Operation::scatter), HasSubstr("; missing: s requires r"));
    EXPECT_THAT(faults(said_chain("s requires r\n", "0"), Operation::scatter), ElementsAre("delivery"))
        << "rank 1 never has it";
}

}  // namespace
}  // namespace kport
