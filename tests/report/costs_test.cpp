/// @file costs_test.cpp   What a text report says of costs: beside bounds, prices, the chip and the model.
#include "emulator/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/synthetic.hpp"

namespace kport::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

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

TEST(TextReport, SaysWhereAllHasArrivedAndTheRuleOfDeliveryIsBroken) {
    Report report = synthetic_report();
    report.verdict.delivered = false;
    report.verdict.holders = report.verdict.promised = 8;
    report.verdict.violation_count = 1;
    EXPECT_EQ(verdict_text(report).text, "delivered, but broken: delivery (1 violation), 8 of 8 nodes hold the packet");
    EXPECT_EQ(status_text(report, 7, report.bounds[Quantity::work]).text, "delivered, not lawful");
    EXPECT_EQ(optimal(report, 7, report.bounds[Quantity::work]), false);
    EXPECT_THAT(text_report(report, plain), Not(HasSubstr("not delivered")));
}

TEST(TextReport, ReportsARunBelowItsBoundAsAFault) {
    const Report report = synthetic_report();
    EXPECT_EQ(status_text(report, 2, report.bounds[Quantity::rounds]).text, "BELOW THE BOUND by 1: a fault of kport");
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

TEST(TextReport, CountsTheRoundsThatProgramsLetPass) {
    Report report = synthetic_report();
    EXPECT_THAT(text_report(report, plain, wide), Not(HasSubstr("next_round")));
    report.verdict.metrics.silent_rounds = 2;
    EXPECT_THAT(text_report(report, plain, wide),
                HasSubstr("note    2 of 4 rounds passed without a message, because programs waited (next_round)\n"));
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
    EXPECT_EQ(status_text(report, 5, line).text, "+2 (66.7%), the bound is out of reach: at least 4 is proven");
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
    EXPECT_EQ(status_text(report, 16000, {8, "", "", ""}).text, "above by 15,992 (2000 times the bound)");
}

TEST(TextReport, ShowsTheTimeOnTheChip) {
    Report report = synthetic_report();
    const auto chip = [&] {
        const std::string text = text_report(report, plain);
        const std::size_t begin = text.find("chip ");
        return text.substr(begin, text.find("again ") - begin);
    };
    report.threads = 2;
    report.wall_seconds = 7 * 9.9e-9;
    EXPECT_EQ(chip(), "chip    7 messages in 0.00 ms on 2 threads, 9.9 ns a message\n");
    report.wall_seconds = 7 * 12.3e-9;
    EXPECT_EQ(chip(), "chip    7 messages in 0.00 ms on 2 threads, 12 ns a message\n");
    report.verdict.metrics.transfers = 1;
    report.wall_seconds = 9.95e-9;
    EXPECT_EQ(chip(), "chip    1 message in 0.00 ms on 2 threads, 10 ns a message\n");
    report.wall_seconds = 2;
    report.engine = EngineKind::free;
    report.moving_seconds = 0.007;
    report.verdict.metrics.transfers = 1;
    EXPECT_EQ(chip(),
              "chip    1 message in 7.0 ms on 2 threads, 7,000,000 ns a message\n"
              "        2.00 s with set-up, audit and check of the bytes\n");
    report.engine = EngineKind::lockstep;
    report.needs_rounds = NeedsRounds::claims;
    EXPECT_EQ(chip(),
              "chip    1 message in 2.00 s on 2 threads, 2,000,000,000 ns a message\n"
              "        in lockstep: claims compete, and only lockstep arbitrates them\n");
    report.reproducible = true;
    EXPECT_EQ(text_report(report, plain).find("chip "), std::string::npos);
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

TEST(Meets, AllowsForRoundingAlone) {
    EXPECT_TRUE(meets(10.64, 10.640000000000001));
    EXPECT_TRUE(meets(0, 0));
    EXPECT_FALSE(meets(1e9 + 2, 1e9));
    EXPECT_FALSE(meets(256000000256.0, 256000000128.0)) << "counts are compared exactly, however large";
    EXPECT_FALSE(meets(1e-12, 0));
}

}  // namespace
}  // namespace kport::test
