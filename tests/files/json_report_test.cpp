#include "app/files/json_report.hpp"

#include <gtest/gtest.h>

#include "tests/report/synthetic.hpp"

namespace kport::test {
namespace {

TEST(JsonReport, WritesItsKeysInTheOrderOfTheDocuments) {
    const Json json = json_report(synthetic_report());
    std::vector<std::string> keys;
    for (const auto& item : json.items()) keys.push_back(item.key());
    EXPECT_EQ(keys, (std::vector<std::string>{"operation",       "algorithm",       "topology",
                                              "machine",         "source",          "packet_bytes",
                                              "packets",         "costs",           "measured",
                                              "bounds",          "best_possible",   "binding",
                                              "optimal",         "checks",          "lawful",
                                              "verdict",         "silent_rounds",   "payload",
                                              "violations",      "violation_count", "violations_by_rule",
                                              "waiting_circles", "holders",         "agreement",
                                              "stopped",         "engine",          "again"}));
}

TEST(JsonReport, HasNullForUnknownValues) {
    Report report = synthetic_report();
    report.root = std::nullopt;
    const Json json = json_report(report);
    EXPECT_EQ(json["bounds"]["volume"], nullptr);
    EXPECT_EQ(json["binding"]["volume"], nullptr);
    EXPECT_EQ(json["binding"]["rounds"], "fan-out: ceil(log2 8)");
    EXPECT_EQ(json["optimal"]["volume"], nullptr);
    EXPECT_EQ(json["source"], nullptr);
    EXPECT_EQ(json["optimal"]["rounds"], false);
    EXPECT_EQ(json["optimal"]["work"], true);
}

TEST(JsonReport, HasTheCommandThatRunsItAgainAsTheTextHas) {
    Report report = synthetic_report();
    EXPECT_EQ(json_report(report)["again"], report.again);
    report.again.clear();  // of an operation of one's own
    EXPECT_EQ(json_report(report)["again"], nullptr);
}

TEST(JsonReport, WritesCountsAsWholeNumbers) {
    Report report = synthetic_report();
    report.bounds[Quantity::work].value = 1099511627775.0;
    const std::string text = json_text(json_report(report));
    EXPECT_NE(text.find("\"work\": 1099511627775,"), std::string::npos) << text;
    EXPECT_EQ(text.back(), '\n');
    report.bounds[Quantity::work].value = 0;
    report.bounds[Quantity::rounds].value = 0.5;
    report.bounds[Quantity::volume].value = -1;
    // 2^53: from here on neighbouring integers are equal as doubles
    report.bounds[Quantity::path_sum].value = 9007199254740992.0;
    const Json bounds = json_report(report)["bounds"];
    EXPECT_TRUE(bounds["work"].is_number_unsigned());
    EXPECT_EQ(bounds["rounds"], 0.5);
    EXPECT_EQ(bounds["volume"], -1.0);
    EXPECT_TRUE(bounds["path_sum"].is_number_float());
}

TEST(JsonReport, NamesTheSegmentOfAViolationWhereThereAreSeveral) {
    Report report = broken_report(1);
    EXPECT_FALSE(json_report(report)["violations"][0].contains("segment"));
    report.verdict.violations[0].segment = 2;
    EXPECT_EQ(json_report(report)["violations"][0]["segment"], 2);
}

TEST(JsonReport, DescribesAViolationInOneSentence) {
    const Json violation = json_report(broken_report(3))["violations"][0];
    EXPECT_EQ(violation["rule"], "nodup");
    EXPECT_EQ(violation["round"], 3);
    EXPECT_EQ(violation["node"], 5);
    EXPECT_EQ(violation["port"], 1);
    EXPECT_EQ(violation["packet"], 0);
    EXPECT_EQ(violation["text"], sentence(broken_report(1).verdict.violations[0], *make_topology("hypercube:3")));
}

TEST(JsonReport, HasNoPortAndNoNodeWhereThereIsNone) {
    Report report = broken_report(1);
    report.verdict.violations[0].port = no_port;
    report.verdict.violations[0].breach = Breach::received_own;
    EXPECT_EQ(json_report(report)["violations"][0]["port"], nullptr);
    report.verdict.violations[0].node = no_node;
    report.verdict.violations[0].breach = Breach::silent_round;
    EXPECT_EQ(json_report(report)["violations"][0]["node"], nullptr);
}

TEST(JsonReport, NamesNodesThatWaitForEachOther) {
    const Json json = json_report(deadlocked_report());
    EXPECT_EQ(json["waiting_circles"], Json::parse("[[2, 6]]"));
    EXPECT_EQ(json["checks"]["delivered"], false);
}

TEST(JsonReport, HasTheRequestedParts) {
    Report report = synthetic_report();
    report.per_round = true;
    report.verdict.per_round = {{1, 1, 1, 1, 64, 64, 1, 0}, {2, 2, 2, 1, 64, 128, 2, 0}};
    report.reduction = Reduction{Operator::max, ElementType::real, {}};
    report.results = {"3", "4"};
    report.engine = EngineKind::free;
    report.moving_seconds = 0.0005;
    report.needs_rounds = NeedsRounds::claims;
    report.prediction = Prediction{0.25, 0.0005, 12, "4 rounds", "ts = 1 ns", "a file", "a caveat"};
    Injected found;
    found.fault = Fault::duplicate;
    found.what = "a message comes again";
    found.rule = Rule::nodup;
    Injected malformed;
    malformed.fault = Fault::malformed;
    malformed.certain = false;
    report.faults = {found, malformed};
    report.verdict.violations = broken_report(1).verdict.violations;
    const Json json = json_report(report);
    EXPECT_EQ(json["per_round"][0], Json::parse(R"({"round": 1, "transfers": 1, "longest_path": 1,
        "largest_bundle": 64, "bytes": 64, "reached": 2})"));
    EXPECT_EQ(json["per_round"][1]["reached"], 4);
    EXPECT_EQ(json["reduction"], Json::parse(R"({"op": "max", "type": "double"})"));
    EXPECT_EQ(json["results"], Json::parse(R"(["3", "4"])"));
    EXPECT_EQ(json["engine"]["moving_seconds"], 0.0005);
    EXPECT_EQ(json["engine"]["only_rounds_tell"], true);
    EXPECT_EQ(json["engine"]["in_lockstep_because"], text(NeedsRounds::claims));
    EXPECT_EQ(
        json["calibrated"],
        Json::parse(R"({"predicted_seconds": 0.25, "measured_seconds": 0.0005, "repetitions": 12, "counts": "4 rounds",
        "prices": "ts = 1 ns", "origin": "a file", "caveat": "a caveat"})"));
    EXPECT_EQ(json["faults"], Json::parse(R"([
        {"fault": "duplicate", "what": "a message comes again", "breaks": "nodup", "certain": true, "found": true,
         "finding": "reported"},
        {"fault": "malformed", "what": "", "breaks": null, "certain": false, "found": false, "finding": "harmless"}])"));
}

TEST(JsonReport, ReportsWhatEachRankHadToDo) {
    Report report = synthetic_report();
    EXPECT_FALSE(json_report(report)["engine"].contains("ranks"));
    report.ranks = {{3, 1, 0.25, 2000}, {1, 0, 0.5, 3000}};
    EXPECT_EQ(json_report(report)["engine"]["ranks"],
              Json::parse(R"([{"messages": 3, "remote": 1, "exchange_seconds": 0.25, "peak_rss_bytes": 2000},
                              {"messages": 1, "remote": 0, "exchange_seconds": 0.5, "peak_rss_bytes": 3000}])"));
}

TEST(JsonReport, HasNoUnrequestedParts) {
    const Json json = json_report(synthetic_report());
    EXPECT_FALSE(json["engine"].contains("moving_seconds"));
    EXPECT_FALSE(json["engine"].contains("only_rounds_tell"));
    EXPECT_EQ(json["measured"], Json::parse(R"({"rounds": 4, "work": 7, "path_sum": 4, "volume": 256,
        "latency": 4.256})"));
    EXPECT_EQ(json["bounds"], Json::parse(R"({"rounds": 3, "work": 7, "path_sum": 3, "volume": null,
        "latency": 3.192})"));
}

TEST(JsonReport, JudgesABroadcastThatGoesOnByTheRoundsThatItNeeded) {
    Report report = synthetic_report();
    report.verdict.metrics.informed_after = 3;
    const Json json = json_report(report);
    EXPECT_EQ(json["measured"]["rounds"], 4);
    EXPECT_EQ(json["informed_after"], 3);
    EXPECT_EQ(json["bounds"]["rounds"], 3);
    EXPECT_EQ(json["optimal"]["rounds"], true);
    EXPECT_EQ(json["optimal"]["path_sum"], false) << "its messages of the last round count";
}

TEST(JsonReport, OfARunAloneNamesItsAlgorithm) {
    Json json;
    put_run(json, synthetic_report());
    EXPECT_EQ(json["algorithm"], "slow");
}

TEST(JsonText, IndentsByTwo) { EXPECT_EQ(json_text({{"a", 1}}), "{\n  \"a\": 1\n}\n"); }

TEST(JsonText, ReplacesWhatIsNotUtf8) { EXPECT_EQ(json_text(Json("\xff")), "\"\xef\xbf\xbd\"\n"); }

}  // namespace
}  // namespace kport::test
