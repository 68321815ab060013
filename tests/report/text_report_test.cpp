#include "emulator/report/text_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/synthetic.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const Paint plain(false);

TEST(TextReport, IsReadAtOnce) {
    EXPECT_EQ(
        text_report(synthetic_report(), plain),
        R"(broadcast from node 0 on hypercube:3   8 nodes, 24 channels, 1-port full duplex, store-and-forward, 64-byte packet
algorithm slow (a tree)        verdict  all rules kept, 8 of 8 nodes hold the packet

quantity            run   bound   binding argument          status
rounds                4       3   fan-out: ceil(log2 8)     above by 1 (33.3%)
work (hops)           7       7   one copy per other node   optimal
path sum (hops)       4       3   eccentricity of node 0    +1 (33.3%), not known to be reachable
volume (bytes)      256       -                             no bound known
latency           4.256   3.192   3 ts + 3 td + 192 tm      +1.064 (33.3%), not known to be reachable
note    path sum, latency: nobody has tried

rules   ports kept (at most 1 send, 1 receive)   NODUP kept   NOHO kept   channels kept   payload verified
chip    7 messages in 0.70 ms on 1 thread, 100000 ns a message
again   kport run broadcast --on hypercube:3
)");
}

TEST(TextReport, TellsAFewStoriesAndCountsTheRest) {
    const std::string text = text_report(broken_report(128), plain);
    EXPECT_THAT(text, HasSubstr("verdict  broken: NODUP (128 violations), 8 of 8 nodes hold the packet\n"));
    EXPECT_THAT(text, HasSubstr("NODUP BROKEN   NOHO kept"));
    EXPECT_THAT(text, HasSubstr("\n\nNODUP broken: node 5 receives packet 0 "));
    EXPECT_THAT(text, HasSubstr("\n  round 2 from node 4"));
    EXPECT_THAT(text, HasSubstr("\n... and 123 more\n  slow never breaks a rule; this remark is for tests\n"));
    EXPECT_THAT(text_report(broken_report(2), plain), Not(HasSubstr("more\n")));
}

TEST(TextReport, TellsOfCircles) {
    EXPECT_THAT(text_report(deadlocked_report(), plain),
                HasSubstr("\nthey wait in a circle: node 2 waits for node 6, node 6 waits for node 2\n"));
}

TEST(TextReport, CallsNothingOptimalThatWasNotDelivered) {
    Report report = synthetic_report();
    report.verdict.delivered = false;
    report.verdict.holders = 7;
    report.verdict.violation_count = 1;
    EXPECT_EQ(verdict_text(report).text, "NOT delivered (1 violation), 7 of 8 nodes hold the packet");
    EXPECT_EQ(status_text(report, 7, report.bounds.work).text, "not delivered");
    EXPECT_EQ(optimal(report, 7, report.bounds.work), false);
    EXPECT_THAT(text_report(report, plain), HasSubstr("payload NOT verified"));
}

TEST(TextReport, OfAStoppedRunGivesNoVerdict) {
    Report report = synthetic_report();
    report.stopped = true;
    report.verdict.delivered = false;
    report.verdict.holders = 5;
    EXPECT_EQ(verdict_text(report).text, "stopped in round 4, no verdict: 5 of 8 nodes hold the packet so far");
    EXPECT_EQ(status_text(report, 7, report.bounds.work).text, "stopped before the end");
    EXPECT_EQ(optimal(report, 7, report.bounds.work), std::nullopt);
    EXPECT_FALSE(lawful(report));
}

TEST(TextReport, ShowsWhatALawfulRunCannotBe) {
    const Report report = synthetic_report();
    EXPECT_EQ(status_text(report, 2, report.bounds.rounds).text, "BELOW THE BOUND by 1: a fault of kport");
}

TEST(TextReport, NamesTheLimitOfThePorts) {
    Report report = synthetic_report();
    report.machine.ports = PortLimit(3);
    EXPECT_THAT(text_report(report, plain), HasSubstr("(at most 3 sends, 3 receives)"));
    report.machine.duplex = Duplex::half;
    EXPECT_THAT(text_report(report, plain), HasSubstr("(at most 3 sends and receives)"));
    report.machine.ports = PortLimit(1);
    EXPECT_THAT(text_report(report, plain), HasSubstr("(at most 1 send or receive)"));
    report.machine.ports = PortLimit::all();
    EXPECT_THAT(text_report(report, plain), HasSubstr("(all of a node's at a time)"));
}

TEST(TextReport, DoesNotClaimToVerifyWhatWasNotHeld) {
    Report report = synthetic_report();
    report.payload = false;
    EXPECT_THAT(text_report(report, plain), HasSubstr("payload not held"));
}

TEST(TextReport, OfNoMessagesDividesByNothing) {
    Report report = synthetic_report();
    report.verdict.metrics = {};
    report.bounds.rounds.value = 0;
    const std::string text = text_report(report, plain);
    EXPECT_THAT(text, HasSubstr("chip    0 messages in 0.70 ms on 1 thread\n"));
    EXPECT_EQ(status_text(report, 0, report.bounds.rounds).text, "optimal");
    EXPECT_EQ(status_text(report, 2, report.bounds.rounds).text, "above by 2");
}

TEST(TextReport, AddsUpWhoIsReached) {
    Report report = synthetic_report();
    report.per_round = true;
    RoundMetrics round;
    round.round = 1;
    round.transfers = round.longest_path = round.reached = 1;
    round.largest_bundle = round.bytes = 64;
    report.verdict.per_round.push_back(round);
    round.round = 2;
    round.transfers = round.reached = 2;
    round.bytes = 128;
    report.verdict.per_round.push_back(round);
    EXPECT_THAT(text_report(report, plain), HasSubstr(R"(
round   messages   longest path   largest bundle   bytes   reached
    1          1              1               64      64         2
    2          2              1               64     128         4
)"));
}

TEST(TextReport, PaintsOnlyWhenAsked) {
    const std::string text = text_report(broken_report(1), Paint(true));
    EXPECT_THAT(text, HasSubstr("\033[32moptimal\033[0m"));
    EXPECT_THAT(text, HasSubstr("\033[31mNODUP BROKEN\033[0m"));
    EXPECT_THAT(text_report(broken_report(1), plain), Not(HasSubstr("\033")));
}

TEST(Meets, AllowsForRoundingAlone) {
    EXPECT_TRUE(meets(10.64, 10.640000000000001));
    EXPECT_TRUE(meets(0, 0));
    EXPECT_FALSE(meets(1e9 + 2, 1e9));
    EXPECT_FALSE(meets(1e-12, 0));
}

}  // namespace
}  // namespace kport::test
