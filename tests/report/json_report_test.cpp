#include "emulator/report/json_report.hpp"

#include <gtest/gtest.h>

#include "tests/report/synthetic.hpp"

namespace kport::test {
namespace {

TEST(JsonReport, WritesItsKeysInTheOrderOfTheDocuments) {
    const Json json = json_report(synthetic_report());
    std::vector<std::string> keys;
    for (const auto& item : json.items()) keys.push_back(item.key());
    EXPECT_EQ(keys,
              (std::vector<std::string>{"operation", "algorithm", "topology", "machine", "source", "packet_bytes",
                                        "costs", "measured", "bounds", "binding", "optimal", "checks", "violations",
                                        "violation_count", "waiting_circles", "holders", "stopped", "engine"}));
}

TEST(JsonReport, HasNullForWhatIsNotKnown) {
    Report report = synthetic_report();
    report.root = std::nullopt;
    const Json json = json_report(report);
    EXPECT_EQ(json["bounds"]["volume"], nullptr);
    EXPECT_EQ(json["binding"]["volume"], nullptr);
    EXPECT_EQ(json["optimal"]["volume"], nullptr);
    EXPECT_EQ(json["source"], nullptr);
    EXPECT_EQ(json["optimal"]["rounds"], false);
    EXPECT_EQ(json["optimal"]["work"], true);
}

TEST(JsonReport, WritesCountsAsWholeNumbers) {
    Report report = synthetic_report();
    report.bounds.work.value = 1099511627775.0;
    const std::string text = json_text(json_report(report));
    EXPECT_NE(text.find("\"work\": 1099511627775,"), std::string::npos) << text;
    EXPECT_EQ(text.back(), '\n');
}

TEST(JsonReport, TellsAViolationInOneSentence) {
    const Json violation = json_report(broken_report(3))["violations"][0];
    EXPECT_EQ(violation["rule"], "nodup");
    EXPECT_EQ(violation["round"], 3);
    EXPECT_EQ(violation["node"], 5);
    EXPECT_EQ(violation["port"], 1);
    EXPECT_EQ(violation["packet"], 0);
    EXPECT_EQ(violation["text"], sentence(broken_report(1).verdict.violations[0], *make_topology("hypercube:3")));
}

TEST(JsonReport, HasNoPortWhereThereIsNone) {
    Report report = broken_report(1);
    report.verdict.violations[0].port = no_port;
    report.verdict.violations[0].node = no_node;
    report.verdict.violations[0].breach = Breach::received_own;
    report.verdict.violations[0].node = 3;
    EXPECT_EQ(json_report(report)["violations"][0]["port"], nullptr);
}

TEST(JsonReport, NamesNodesThatWaitForEachOther) {
    const Json json = json_report(deadlocked_report());
    EXPECT_EQ(json["waiting_circles"], Json::parse("[[2, 6]]"));
    EXPECT_EQ(json["checks"]["delivered"], false);
}

TEST(JsonText, ReplacesWhatIsNotUtf8) { EXPECT_EQ(json_text(Json("\xff")), "\"\xef\xbf\xbd\"\n"); }

}  // namespace
}  // namespace kport::test
