#include "emulator/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/synthetic.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(TextReport, IsExactlyThisText) {
    EXPECT_EQ(text_report(synthetic_report(), plain),
              R"(broadcast from node 0 on hypercube:3   8 nodes, 24 channels, 1-port full duplex,
        store-and-forward, 64-byte packet
algorithm slow (a tree)
verdict  all rules kept, 8 of 8 nodes hold the packet

quantity           run  bound  binding argument         status
rounds               4      3  fan-out: ceil(log2 8)    above by 1 (33.3%)
work (hops)          7      7  one copy per other node  optimal
path sum (hops)      4      3  eccentricity of node 0   +1 (33.3%), not known to
                                                        be reachable
volume (bytes)     256      -                           no bound known
latency          4.256  3.192  3 ts + 3 td + 192 tm     +1.064 (33.3%), not
                                                        known to be reachable
note    path sum, latency: nobody has tried
prices  ts = 1, td = 0, tm = 0.001: 4 ts + 4 td + 256 tm = 4.256

rules   ports kept (at most 1 send, 1 receive)   NODUP kept   NOHO kept
        channels kept   payload verified, 7 x 64 B compared
chip    7 messages in 0.70 ms on 1 thread, 100,000 ns a message
again   kport run broadcast --on hypercube:3
)");
}

TEST(TextReport, IsExactlyThisTextOnAWideTerminal) {
    EXPECT_EQ(
        text_report(synthetic_report(), plain, wide),
        R"(broadcast from node 0 on hypercube:3   8 nodes, 24 channels, 1-port full duplex, store-and-forward, 64-byte packet
algorithm slow (a tree)        verdict  all rules kept, 8 of 8 nodes hold the packet

quantity            run   bound   binding argument          status
rounds                4       3   fan-out: ceil(log2 8)     above by 1 (33.3%)
work (hops)           7       7   one copy per other node   optimal
path sum (hops)       4       3   eccentricity of node 0    +1 (33.3%), not known to be reachable
volume (bytes)      256       -                             no bound known
latency           4.256   3.192   3 ts + 3 td + 192 tm      +1.064 (33.3%), not known to be reachable
note    path sum, latency: nobody has tried
prices  ts = 1, td = 0, tm = 0.001: 4 ts + 4 td + 256 tm = 4.256

rules   ports kept (at most 1 send, 1 receive)   NODUP kept   NOHO kept   channels kept   payload verified, 7 x 64 B compared
chip    7 messages in 0.70 ms on 1 thread, 100,000 ns a message
again   kport run broadcast --on hypercube:3
)");
}

TEST(TextReport, OfAStoppedRunGivesNoVerdict) {
    Report report = synthetic_report();
    report.stopped = true;
    report.verdict.delivered = false;
    report.verdict.holders = 5;
    EXPECT_EQ(verdict_text(report).text, "stopped in round 4, no verdict: 5 of 8 nodes hold the packet so far");
    EXPECT_EQ(status_text(report, 7, report.bounds[Quantity::work]).text, "stopped before the end");
    EXPECT_EQ(optimal(report, 7, report.bounds[Quantity::work]), std::nullopt);
}

TEST(AReport, IsEmptyWithoutValues) {
    const Report report;
    EXPECT_EQ(report.threads, 1U);
    EXPECT_EQ(report.wall_seconds, 0);
    EXPECT_EQ(bytes_moved(report), 0U);
    EXPECT_EQ(report.peak_rss_bytes, 0U);
    EXPECT_TRUE(text(report.needs_rounds).empty());
    EXPECT_EQ(Prediction().seconds, 0);
}

TEST(TextReport, TellsWhatEachRankHadToDo) {
    constexpr std::uint64_t mebibyte = 1 << 20;
    Report report = synthetic_report();
    EXPECT_THAT(text_report(report, plain, 80), Not(HasSubstr("ranks")));
    report.ranks = {{3, 1, 0.25, 20 * mebibyte}, {1, 0, 0.5, 30 * mebibyte}};
    EXPECT_THAT(text_report(report, plain, 80),
                HasSubstr("ranks   2; 25 % of messages remote; the busiest sends 1.5 times the mean\n"
                          "        rank 0: 3 messages, 1 remote, 250 ms in exchange, 20.0 MiB\n"
                          "        rank 1: 1 message, 0 remote, 500 ms in exchange, 30.0 MiB\n"));
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

TEST(TextReport, DoesNotClaimToVerifyMissingPackets) {
    Report report = synthetic_report();
    report.payload = false;
    EXPECT_THAT(text_report(report, plain), HasSubstr("payload not held"));
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

TEST(TextReport, CountsTheRootAmongTheReachedWhereItOwnsThePacketsAlone) {
    Report report = synthetic_report();
    report.collective.operation = Operation::scatter;
    EXPECT_EQ(reached_before(report.collective.operation), 1U);
    report.collective.operation = Operation::gather;
    EXPECT_EQ(reached_before(report.collective.operation), 0U);
}

TEST(TextReport, CountsTheHoldersOfEachOperation) {
    Report report = synthetic_report();
    report.root = 3;
    report.verdict.holders = 7;
    const auto held = [&](Operation operation) {
        report.collective.operation = operation;
        const std::string text = verdict_text(report).text;
        return text.substr(text.find(", ") + 2);
    };
    EXPECT_EQ(held(Operation::broadcast), "7 of 8 nodes hold the packet");
    EXPECT_EQ(held(Operation::scatter), "7 of 8 nodes hold their packet");
    EXPECT_EQ(held(Operation::gather), "node 3 holds 7 of 8 packets");
    EXPECT_EQ(held(Operation::reduce), "node 3 holds 7 of 8 contributions");
    EXPECT_EQ(held(Operation::allreduce), "7 of 8 nodes hold the result");
    EXPECT_EQ(held(Operation::scan), "7 of 8 nodes hold their prefix");
    EXPECT_EQ(held(Operation::allgather), "7 of 8 nodes hold all packets");
    EXPECT_EQ(held(Operation::alltoall), "7 of 8 nodes hold their packets");
    report.verdict.holders = 1;
    EXPECT_EQ(held(Operation::broadcast), "1 of 8 nodes holds the packet");
    EXPECT_EQ(held(Operation::scatter), "1 of 8 nodes holds its packet");
    EXPECT_EQ(held(Operation::scan), "1 of 8 nodes holds its prefix");
    EXPECT_EQ(held(Operation::alltoall), "1 of 8 nodes holds its packets");
    EXPECT_EQ(held(Operation::reduce_scatter), "1 of 8 nodes holds its block of the result");
    EXPECT_EQ(held(Operation::barrier), "1 of 8 nodes knows that all have entered");
    report.collective.packets_each = 2;
    EXPECT_EQ(held(Operation::scatter), "1 of 8 nodes holds its packets");
    report.collective.packets_each = 1;
    report.machine.topology = make_topology("line:1");
    EXPECT_EQ(held(Operation::broadcast), "1 of 1 node holds the packet");
    report.root = std::nullopt;
    EXPECT_EQ(held(Operation::gather), "node 0 holds 1 of 1 packet");
}

TEST(TextReport, CountsTheBytesThatWereCompared) {
    Report report = synthetic_report();
    report.verdict.compared_packets = 2;
    report.verdict.compared_bytes = 11;
    EXPECT_THAT(text_report(report, plain), HasSubstr("payload verified, 2 results with 11 B compared\n"));
    report.collective.packet_bytes = 0;
    EXPECT_THAT(text_report(report, plain), HasSubstr("payload verified, of 0 bytes\n"));
}

TEST(TextReport, PutsTheVerdictInALineOfItsOwnWhereTheFirstOneIsFull) {
    Report report = synthetic_report();
    const std::size_t room = wide - 17 - std::string("algorithm slow ()").size() - verdict_text(report).text.size();
    report.rule = std::string(room, 'x') + ": with a detour";
    EXPECT_THAT(text_report(report, plain, wide), HasSubstr("xxx)        verdict  all"));
    report.rule = 'x' + report.rule;
    EXPECT_THAT(text_report(report, plain, wide), HasSubstr("xxx)\nverdict  all"));
}

TEST(TextReport, ShowsTheResultsOfAReduction) {
    Report report = synthetic_report();
    report.collective.operation = Operation::allreduce;
    report.reduction = Reduction{Operator::max, ElementType::real, {}};
    EXPECT_THAT(text_report(report, plain), Not(HasSubstr("results")));
    report.results = {"3", "4.5"};
    EXPECT_THAT(text_report(report, plain), HasSubstr("compared\nresults max of double: 3 4.5 ...\nchip"));
    report.results.assign(8, "3");
    EXPECT_THAT(text_report(report, plain), HasSubstr("\nresults max of double: 3 3 3 3 3 3 3 3\nchip"));
    report.collective.operation = Operation::reduce;
    report.results = {"7"};
    EXPECT_THAT(text_report(report, plain), HasSubstr("\nresults max of double: 7\nchip"));
}

TEST(TextReport, CutsTheResultsWhereTheLineIsFull) {
    Report report = synthetic_report();
    report.reduction = Reduction{};
    const std::size_t room = 80 - std::string("results sum of int64: ...").size();
    report.results.assign(8, "1");
    report.results[0] = std::string(room - 1 - 14, '9');
    EXPECT_THAT(text_report(report, plain), HasSubstr("99 1 1 1 1 1 1 1\n"));
    report.results[0] += '9';
    EXPECT_THAT(text_report(report, plain), HasSubstr("99 1 1 1 1 1 1 ...\n"));
}

TEST(TextReport, PaintsOnlyWhenAsked) {
    const std::string text = text_report(broken_report(1), Paint(true));
    EXPECT_THAT(text, HasSubstr("\033[31mmet, but rules broken\033[0m"));
    EXPECT_THAT(text, HasSubstr("\033[31mNODUP BROKEN\033[0m"));
    EXPECT_THAT(text_report(broken_report(1), plain), Not(HasSubstr("\033")));
}

}  // namespace
}  // namespace kport::test
