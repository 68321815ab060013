/// @file broken_rules_test.cpp   What a text report says of rules, violations and injected faults.
#include "emulator/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/synthetic.hpp"

namespace kport::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

void broken(Report& report, Rule rule) { report.verdict.violations_by_rule[static_cast<std::size_t>(rule)] = 1; }

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
                HasSubstr("\ndeadlock: node 2 waits for node 6, node 6 waits for node 2\n"));
}

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
        return text.substr(begin, text.find("\nrules ") + 1 - begin);
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
    EXPECT_TRUE(misses_fault(report));
    const std::string unnamed = "        not reported: no rule broken by it\n";
    report.faults[0].certain = false;
    EXPECT_THAT(told(), EndsWith(unnamed));
    report.faults[0].certain = report.stopped = true;
    EXPECT_THAT(told(), EndsWith(unnamed));
    EXPECT_FALSE(misses_fault(report));
    report.faults.push_back(fault);
    EXPECT_THAT(told(), HasSubstr("        not reported: no rule broken by it, or another fault hides it\n"));
}

TEST(TextReport, SaysOfAFaultAgainstARuleThatIsNoLawThatItIsCountedOrNotLookedAt) {
    Report report = broken_report(1);
    const Violation again = report.verdict.violations[0];
    report.verdict.violations.clear();
    Injected fault;
    fault.fault = Fault::duplicate;
    fault.what = "a message comes again";
    fault.rule = Rule::nodup;
    report.faults = {fault};
    const auto told = [&] { return text_report(report, plain, wide); };
    report.verdict.judged_by.nodup = Force::off;
    EXPECT_THAT(told(), HasSubstr("again\n        not looked at: nodup is off\n"));
    EXPECT_FALSE(misses_fault(report));

    report.verdict.judged_by.nodup = Force::counted;
    report.verdict.counted = {{Rule::nodup, 1, again}};
    const std::string sentence = sentence_of_first(report.verdict.counted[0], *report.machine.topology);
    EXPECT_THAT(sentence, testing::StartsWith("NODUP not kept: node "));
    EXPECT_THAT(told(), HasSubstr("again\n        found, counted: " + sentence + "\n"));

    report.faults[0].counted_before = 6;
    report.faults[0].node = again.node + 1;  // it is not the first
    report.verdict.counted[0].count = 7;
    EXPECT_THAT(told(), HasSubstr("again\n        found, counted: NODUP not kept 7 times, 6 without it\n"));
    report.verdict.counted[0].count = 6;
    EXPECT_THAT(told(), HasSubstr("again\n        NOT FOUND: a fault of kport\n"));
    EXPECT_TRUE(misses_fault(report));
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

}  // namespace
}  // namespace kport::test
