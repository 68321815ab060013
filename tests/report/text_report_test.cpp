#include "emulator/report/text_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/synthetic.hpp"

namespace kport::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

const Paint plain(false);
constexpr std::size_t wide = 200;  ///< no line is broken

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
chip    7 messages in 0.70 ms on 1 thread, 100000 ns a message
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
chip    7 messages in 0.70 ms on 1 thread, 100000 ns a message
again   kport run broadcast --on hypercube:3
)");
}

TEST(TextReport, ListsAFewViolationsAndCountsTheRest) {
    const std::string text = text_report(broken_report(128), plain);
    EXPECT_THAT(text, HasSubstr("verdict  broken: NODUP (128 violations), 8 of 8 nodes hold the packet\n"));
    EXPECT_THAT(text, HasSubstr("NODUP BROKEN   NOHO kept"));
    EXPECT_THAT(text, HasSubstr("\n\nNODUP broken: node 5 receives packet 0 "));
    EXPECT_THAT(text, HasSubstr("\n  round 2 from node 4"));
    EXPECT_THAT(text, HasSubstr("\n... and 123 more\n  slow never breaks a rule; this remark is for tests\n"));
    EXPECT_THAT(text_report(broken_report(2), plain), Not(HasSubstr("more\n")));
}

TEST(TextReport, ReportsWaitingCycles) {
    EXPECT_THAT(text_report(deadlocked_report(), plain),
                HasSubstr("\nthey wait in a circle: node 2 waits for node 6, node 6 waits for node 2\n"));
}

TEST(TextReport, CallsNothingOptimalWithoutDelivery) {
    Report report = synthetic_report();
    report.verdict.delivered = false;
    report.verdict.holders = 7;
    report.verdict.violation_count = 1;
    EXPECT_EQ(verdict_text(report).text, "NOT delivered (1 violation), 7 of 8 nodes hold the packet");
    EXPECT_EQ(status_text(report, 7, report.bounds[Quantity::work]).text, "not delivered");
    EXPECT_EQ(optimal(report, 7, report.bounds[Quantity::work]), false);
    EXPECT_THAT(text_report(report, plain), HasSubstr("payload NOT verified"));
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
    EXPECT_EQ(report.packet_bytes, 0U);
    EXPECT_EQ(report.engine.threads, 1U);
    EXPECT_EQ(report.engine.wall_seconds, 0);
    EXPECT_EQ(report.engine.bytes_moved, 0U);
    EXPECT_EQ(report.engine.peak_rss_bytes, 0U);
    EXPECT_TRUE(report.engine.in_lockstep_because.empty());
    EXPECT_EQ(Prediction().seconds, 0);
}

TEST(TextReport, ReportsARunBelowItsBoundAsAFault) {
    const Report report = synthetic_report();
    EXPECT_EQ(status_text(report, 2, report.bounds[Quantity::rounds]).text, "BELOW THE BOUND by 1: a fault of kport");
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

TEST(TextReport, WithoutMessagesDividesByNoZero) {
    Report report = synthetic_report();
    report.verdict.metrics = {};
    report.bounds[Quantity::rounds].value = 0;
    const std::string text = text_report(report, plain);
    EXPECT_THAT(text, HasSubstr("chip    0 messages in 0.70 ms on 1 thread\n"));
    EXPECT_EQ(status_text(report, 0, report.bounds[Quantity::rounds]).text, "optimal");
    EXPECT_EQ(status_text(report, 2, report.bounds[Quantity::rounds]).text, "above by 2");
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
    report.operation = Operation::scatter;
    EXPECT_EQ(reached_before(report.operation), 1U);
    report.operation = Operation::gather;
    EXPECT_EQ(reached_before(report.operation), 0U);
}

TEST(TextReport, CountsTheHoldersOfEachOperation) {
    Report report = synthetic_report();
    report.root = 3;
    report.verdict.holders = 7;
    const auto held = [&](Operation operation) {
        report.operation = operation;
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
    EXPECT_EQ(held(Operation::alltoall), "7 of 8 nodes hold the packets for them");
    report.machine.topology = make_topology("line:1");
    report.verdict.holders = 1;
    EXPECT_EQ(held(Operation::broadcast), "1 of 1 node holds the packet");
    report.root = std::nullopt;
    EXPECT_EQ(held(Operation::gather), "node 0 holds 1 of 1 packet");
}

void broken(Report& report, Rule rule) { report.verdict.violations_by_rule[static_cast<std::size_t>(rule)] = 1; }

TEST(TextReport, NamesEveryBrokenRule) {
    Report report = synthetic_report();
    report.machine.combining = false;
    report.machine.policy = Policy::strict;
    EXPECT_THAT(text_report(report, plain, wide),
                HasSubstr("channels kept   one packet a message kept   strict kept   pay"));
    for (const Rule rule : {Rule::ports, Rule::combining, Rule::noho, Rule::channel, Rule::strict})
        broken(report, rule);
    report.verdict.violation_count = 9;
    EXPECT_EQ(verdict_text(report).text,
              "broken: ports, NOHO, channels, combining, strict (9 violations), 8 of 8 nodes hold the packet");
    EXPECT_THAT(
        text_report(report, plain, wide),
        HasSubstr("rules   ports BROKEN (at most 1 send, 1 receive)   NODUP kept   NOHO BROKEN   channels "
                  "BROKEN   one packet a message BROKEN   strict BROKEN   payload verified, 7 x 64 B compared\n"));
    report.verdict.delivered = false;
    EXPECT_THAT(verdict_text(report).text, HasSubstr("combining, strict, NOT delivered (9 violations), "));
    report.stopped = true;
    EXPECT_EQ(verdict_text(report).text,
              "stopped in round 4, no verdict: 8 of 8 nodes hold the packet so far, broken: ports, NOHO, channels, "
              "combining, strict");
    EXPECT_THAT(text_report(report, plain, wide), HasSubstr("payload not verified"));
}

TEST(TextReport, NamesARuleThatOnlyABrokenRunMentions) {
    Report report = synthetic_report();
    report.verdict.violation_count = 2;
    broken(report, Rule::rounds);
    EXPECT_EQ(verdict_text(report).text, "broken: rounds (2 violations), 8 of 8 nodes hold the packet");
    EXPECT_THAT(text_report(report, plain, wide), HasSubstr("channels kept   rounds BROKEN   payload verified"));
    broken(report, Rule::transfers);
    EXPECT_EQ(verdict_text(report).text, "broken: rounds, transfers (2 violations), 8 of 8 nodes hold the packet");
}

TEST(TextReport, CountsTheRoundsThatProgramsLetPass) {
    Report report = synthetic_report();
    EXPECT_THAT(text_report(report, plain, wide), Not(HasSubstr("next_round")));
    report.verdict.metrics.silent_rounds = 2;
    EXPECT_THAT(text_report(report, plain, wide),
                HasSubstr("note    2 of 4 rounds passed without a message, because programs waited (next_round)\n"));
}

TEST(TextReport, CountsTheBytesThatWereCompared) {
    Report report = synthetic_report();
    report.verdict.compared_packets = 2;
    report.verdict.compared_bytes = 11;
    EXPECT_THAT(text_report(report, plain), HasSubstr("payload verified, 2 results with 11 B compared\n"));
    report.packet_bytes = 0;
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

TEST(TextReport, TellsWhatIsKnownOfABoundBelowTheRun) {
    Report report = synthetic_report();
    const auto notes = [&] {
        const std::string text = text_report(report, plain);
        const std::size_t begin = text.find("\nnote ");
        return begin == std::string::npos ? "" : text.substr(begin + 1, text.find("\nprices", begin) - begin);
    };
    report.bounds[Quantity::latency].caveat_why = "it is late";
    EXPECT_EQ(notes(), "note    path sum: nobody has tried\nnote    latency: it is late\n");
    report.bounds[Quantity::latency].caveat_why = "";
    report.bounds[Quantity::path_sum].value = 4;
    EXPECT_EQ(notes(), "");
    report.bounds[Quantity::rounds].caveat_why = "another schedule meets it";
    EXPECT_EQ(notes(), "note    rounds: another schedule meets it\n");
}

TEST(TextReport, CallsARunOptimalThatCostsTheLeastPossible) {
    Report report = synthetic_report();
    const BoundLine line = {3, "", "the bound is out of reach", "why", 4};
    EXPECT_EQ(status_text(report, 4, line).text, "best possible 4: optimal");
    EXPECT_EQ(status_text(report, 5, line).text, "+2 (66.7%), the bound is out of reach");
    EXPECT_EQ(optimal(report, 4, line), true);
    EXPECT_EQ(optimal(report, 5, line), false);
    report.verdict.delivered = false;
    EXPECT_EQ(optimal(report, 4, line), false);
}

TEST(TextReport, MeasuresARunAgainstItsBound) {
    Report report = synthetic_report();
    EXPECT_EQ(status_text(report, 4.5, {3, "", "", ""}).text, "above by 1.5 (50%)");
    EXPECT_EQ(status_text(report, 4, {3, "", "a caveat", ""}).text, "+1 (33.3%), a caveat");
    EXPECT_EQ(status_text(report, 1, {0.5, "", "", ""}).text, "above by 0.5 (100%)");
    report.verdict.violation_count = 1;
    EXPECT_EQ(status_text(report, 2, {3, "", "", ""}).text, "below the bound, by broken rules");
    EXPECT_EQ(status_text(report, 3.5, {3, "", "", ""}).text, "above by 0.5 (16.7%)");
}

TEST(TextReport, ShowsTheResultsOfAReduction) {
    Report report = synthetic_report();
    report.operation = Operation::allreduce;
    report.reduction = Reduction{Operator::max, ElementType::real, {}};
    EXPECT_THAT(text_report(report, plain), Not(HasSubstr("results")));
    report.results = {"3", "4.5"};
    EXPECT_THAT(text_report(report, plain), HasSubstr("compared\nresults max of double: 3 4.5 ...\nchip"));
    report.results.assign(8, "3");
    EXPECT_THAT(text_report(report, plain), HasSubstr("\nresults max of double: 3 3 3 3 3 3 3 3\nchip"));
    report.operation = Operation::reduce;
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

TEST(TextReport, ShowsTheTimeOnTheChip) {
    Report report = synthetic_report();
    const auto chip = [&] {
        const std::string text = text_report(report, plain);
        const std::size_t begin = text.find("chip ");
        return text.substr(begin, text.find("again ") - begin);
    };
    report.engine.threads = 2;
    report.engine.wall_seconds = 7 * 9.9e-9;
    EXPECT_EQ(chip(), "chip    7 messages in 0.00 ms on 2 threads, 9.9 ns a message\n");
    report.engine.wall_seconds = 7 * 12.3e-9;
    EXPECT_EQ(chip(), "chip    7 messages in 0.00 ms on 2 threads, 12 ns a message\n");
    report.verdict.metrics.transfers = 1;
    report.engine.wall_seconds = 9.95e-9;
    EXPECT_EQ(chip(), "chip    1 message in 0.00 ms on 2 threads, 10 ns a message\n");
    report.engine.wall_seconds = 2;
    report.engine.moving_seconds = 0.007;
    report.verdict.metrics.transfers = 1;
    EXPECT_EQ(chip(),
              "chip    1 message in 7.0 ms on 2 threads, 7000000 ns a message\n"
              "        2.00 s with set-up, audit and check of the bytes\n");
    report.engine.moving_seconds = std::nullopt;
    report.engine.in_lockstep_because = "claims compete";
    EXPECT_EQ(chip(),
              "chip    1 message in 2.00 s on 2 threads, 2000000000 ns a message\n"
              "        in lockstep: claims compete\n");
}

TEST(TextReport, SetsTheModelsPredictionBesideTheChip) {
    Report report = synthetic_report();
    const auto model = [&] {
        const std::string text = text_report(report, plain, wide);
        const std::size_t begin = text.find("model ");
        return begin == std::string::npos ? "" : text.substr(begin, text.find("again ") - begin);
    };
    report.prediction = Prediction{0.0005, 0.0007, 12, "4 rounds, 256 bytes", "ts = 1 ns", "a file", ""};
    EXPECT_EQ(model(),
              "model   4 rounds, 256 bytes take 0.5 ms at ts = 1 ns\n"
              "        the chip took 0.7 ms (median of 12 warm runs): +0.2 ms, 1.4 times the prediction\n"
              "        calibrated in a file\n");
    report.prediction->measured_seconds = 0.0003;
    report.prediction->caveat = "it was not measured here";
    EXPECT_THAT(model(),
                HasSubstr("the chip took 0.3 ms (median of 12 warm runs): -0.2 ms, 0.6 times the prediction\n"));
    EXPECT_THAT(model(), EndsWith("a file\n        it was not measured here\n"));
    report.prediction->seconds = 0;
    EXPECT_THAT(model(), HasSubstr("+0.3 ms\n"));
    report.stopped = true;
    EXPECT_EQ(model(), "");
}

TEST(TextReport, ReportsInjectedFaults) {
    Report report = broken_report(1);
    Injected fault;
    fault.fault = Fault::duplicate;
    fault.what = "a message comes again";
    fault.rule = Rule::nodup;
    report.faults = {fault};
    const auto told = [&] {
        const std::string text = text_report(report, plain, wide);
        const std::size_t begin = text.find("fault ");
        return text.substr(begin, text.find("rules ") - begin);
    };
    const std::string found = "fault   injected: duplicate: a message comes again\n        found: " +
                              sentence(report.verdict.violations[0], *report.machine.topology) + "\n";
    EXPECT_EQ(told(), found);
    report.faults.assign(5, fault);
    EXPECT_EQ(told(), found + found + found + found + found);
    report.faults.push_back(fault);
    EXPECT_EQ(told(), found + found + found + found + found + "fault   6 injected, 6 of them reported individually\n");
    report.faults[5].node = 0;
    EXPECT_THAT(told(), HasSubstr("\nfault   6 injected, 5 of them reported individually\n"));
    EXPECT_THAT(told(), Not(HasSubstr("NOT FOUND")));

    report.faults = {report.faults[5]};
    EXPECT_THAT(told(), EndsWith("again\n        NOT FOUND: a fault of kport\n"));
    const std::string unnamed = "        not reported: harmless, or cancelled by another fault\n";
    report.faults[0].certain = false;
    EXPECT_THAT(told(), EndsWith(unnamed));
    report.faults[0].certain = report.stopped = true;
    EXPECT_THAT(told(), EndsWith(unnamed));
}

TEST(TextReport, ListsAllViolationsIfFew) {
    Report report = broken_report(5);
    report.remark = "";
    const std::string all = text_report(report, plain);
    EXPECT_THAT(all, Not(HasSubstr("more\n")));
    EXPECT_THAT(all, EndsWith("\n"));
    EXPECT_THAT(all, Not(HasSubstr("\n  \n")));
    EXPECT_THAT(text_report(broken_report(6), plain), HasSubstr("\n... and 1 more\n"));
    EXPECT_THAT(text_report(synthetic_report(), plain), Not(HasSubstr("this remark")));
}

TEST(TextReport, ListsEachViolationOnALine) {
    const Report report = broken_report(1);
    std::string told;
    for (const std::string& line : story(report.verdict.violations[0], *report.machine.topology))
        told += (told.empty() ? "\n" : "  ") + line + "\n";
    EXPECT_THAT(text_report(report, plain), EndsWith(told + "  " + report.remark + "\n"));
}

TEST(TextReport, PaintsOnlyWhenAsked) {
    const std::string text = text_report(broken_report(1), Paint(true));
    EXPECT_THAT(text, HasSubstr("\033[31mmet, not lawful\033[0m"));
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
