/// @file agreement_test.cpp   Whether all holders of a result hold the same bits: brackets, bits, the rule, the choice.
///
/// Sources  tests/oracle/tables/agreement.csv: brackets and bits of an independent reference; model.md section 1.
#include "app/session/reporting.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/session/run.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/random.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/node/fold_order.hpp"
#include "emulator/report/report.hpp"
#include "tests/oracle/collective.hpp"
#include "tests/oracle/table.hpp"
#include "tests/session/experiments.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport::test {
namespace {

using oracle::Row;
using testing::HasSubstr;

constexpr std::string_view six = "0.1,0.2,0.3,0.4,0.5,0.7";

std::vector<std::string> words_of(std::string_view text, char between) {
    std::vector<std::string> words;
    for (const std::string_view word : split(text, between)) words.emplace_back(word);
    return words;
}

/// A sum of doubles on a machine, by the algorithm of that name; empty: by the best.
Experiment sum_of(std::string_view spec, std::string_view algorithm, std::string_view values = "") {
    Experiment e = experiment(spec, Operation::allreduce);
    e.collective.packet_bytes = 8;
    e.algorithm = algorithm;
    e.options.reduction.type = ElementType::real;
    if (!values.empty()) e.options.reduction.values = words_of(values, ',');
    return e;
}

Outcome counted_run(const Experiment& e) {
    Caller caller;
    caller.counts_brackets = true;
    return run(e, caller);
}

template <class Named>
const Named* named(const std::vector<Named>& all, const std::string& word) {
    const auto found = std::ranges::find_if(all, [&](const Named& one) { return name(one) == word; });
    return found == all.end() ? nullptr : &*found;
}

/// The experiment of a row; nothing where the catalogue lacks its operation, algorithm, operator or type.
std::optional<Experiment> experiment_of(const Row& row) {
    const auto operation = operation_meant(row["operation"]);
    const Operator* op = named(operators(), row["op"] == "bxor" ? "xor" : row["op"]);
    const ElementType* type = named(element_types(), row["type"]);
    if (!operation || op == nullptr || type == nullptr || find_algorithm(*operation, row["algorithm"]) == nullptr)
        return std::nullopt;
    Experiment e = experiment(row["topology"]);
    e.collective = oracle::collective_of(row, (*type)->bytes);
    e.algorithm = row["algorithm"];
    e.options.reduction = {*op, *type, words_of(row["values"], ',')};
    return e;
}

std::vector<std::vector<std::string>> bits_of(const Row& row) {
    std::vector<std::vector<std::string>> bits;
    if (!row.has("result_bits")) return bits;
    for (const std::string& node : words_of(row["result_bits"], ' '))
        bits.push_back(node == "-" ? std::vector<std::string>() : words_of(node, ','));
    return bits;
}

void expect_row(const Row& row, const Report& report) {
    ASSERT_TRUE(report.agreement && report.brackets);
    EXPECT_EQ(report.agreement_class, row["class"]);
    EXPECT_EQ(report.agreement->different, row.number("different_results"));
    EXPECT_EQ(report.brackets->different, row.number("different_brackets"));
    EXPECT_EQ(report.agreement->segments_that_differ, row.number("segments_that_differ"));
    EXPECT_EQ(report.agreement->largest_ulps, row.number("largest_ulps"));
    EXPECT_EQ(report.brackets->height, row.number("depth"));
    EXPECT_EQ(report.brackets->different_at_a_node, row.number("brackets_of_segments"));
    EXPECT_EQ(report.agreement->bits, bits_of(row));
}

TEST(Agreement, IsThatOfTheReferenceInEveryRowOnEveryEngine) {
    std::size_t rows = 0;
    for (const Row& row : oracle::table("agreement")) {
        auto e = experiment_of(row);
        if (!e) continue;
        SCOPED_TRACE(row.place() + " " + row["algorithm"] + " on " + row["topology"]);
        ++rows;
        expect_row(row, counted_run(*e).report);
        e->threads = 3;
        e->partition_nodes = 2;
        expect_row(row, counted_run(*e).report);
        e->partition_nodes = partition_nodes_default;
        e->engine = EngineKind::free;
        expect_row(row, counted_run(*e).report);
    }
    EXPECT_EQ(rows, oracle::table("agreement").size());
}

TEST(Agreement, IsReportedInALine) {
    const auto line = [](const Experiment& e) {
        const std::string text = text_report(counted_run(e).report, Paint(false), 200);
        const std::size_t begin = text.find("agree   ");
        return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
    };
    EXPECT_EQ(line(sum_of("complete:6", "census", six)),
              "agree   NO: 2 different results at 6 nodes (0: 2.2, 1: 2.1999999999999997), at most 1 ulp, 6 brackets");
    EXPECT_EQ(line(sum_of("complete:6", "census")), "agree   yes on these values, 6 brackets");
    EXPECT_EQ(line(sum_of("complete:6", "exchange", six)), "agree   yes, 1 bracket");
    Experiment exact = sum_of("complete:6", "census");
    exact.options.reduction.type = ElementType::int64;
    EXPECT_EQ(line(exact), "agree   yes, the operator is exact");
    Experiment scan = sum_of("complete:6", "chain");
    scan.collective.operation = Operation::scan;
    EXPECT_EQ(line(scan), "agree   one holder of each result");
    Experiment off = sum_of("complete:6", "census", six);
    off.collective.rules.agree = Force::off;
    EXPECT_EQ(line(off), "");
    EXPECT_EQ(line(experiment("complete:6")), "") << "a broadcast folds nothing";
}

TEST(Agreement, AsLawIsBrokenByBracketsWhateverTheValues) {
    for (const bool payload : {true, false}) {
        Experiment e = sum_of("complete:6", "census");
        e.collective.rules.agree = Force::law;
        e.payload = payload;
        const Outcome outcome = run(e);
        EXPECT_EQ(outcome.ending, Ending::broken);
        EXPECT_EQ(outcome.report.verdict.count(Rule::agree), 1U);
        EXPECT_THAT(sentence(outcome.report.verdict.violations.front(), e.topology()),
                    HasSubstr("6 different brackets"));
        e.options.reduction.type = ElementType::int64;
        EXPECT_EQ(run(e).ending, payload ? Ending::lawful : Ending::broken) << "an exact operator changes no bit";
    }
}

TEST(Agreement, AsLawLimitsTheChoiceToAlgorithmsThatAgree) {
    Experiment e = sum_of("complete:6", "", six);
    const Outcome counted = counted_run(e);
    EXPECT_EQ(counted.report.algorithm, "census");
    EXPECT_THAT(counted.report.remarks,
                testing::Contains(HasSubstr("may differ from node to node; exchange agrees on all values: latency")));
    e.collective.rules.agree = Force::law;
    const Outcome law = run(e);
    EXPECT_EQ(law.ending, Ending::lawful);
    EXPECT_EQ(law.report.algorithm, "exchange");
    EXPECT_THAT(law.report.chosen, HasSubstr("of those that agree"));
    EXPECT_THAT(law.report.again, HasSubstr("--rules agree=law"));
}

TEST(Agreement, IsRefusedAsARuleWhereNothingIsFolded) {
    Experiment e = experiment("complete:6");
    e.collective.rules.agree = Force::law;
    EXPECT_EQ(refusal([&] { (void)run(e); }), "rules 'agree=law': broadcast folds nothing; leave agree out");
}

TEST(Agreement, OfAScheduleIsThatOfItsFoldsInTheOrderOfRounds) {
    for (const std::string_view algorithm : {"census", "exchange"}) {
        const Experiment e = sum_of("complete:6", algorithm);
        Schedule schedule;
        Caller caller;
        caller.recorded_schedule = &schedule;
        const Report ran = run(e, caller).report;
        Submission submission;
        submission.machine = e.machine;
        submission.collective = ran.collective;
        submission.schedule = schedule;
        const Outcome counted = check(submission, false, {});
        ASSERT_TRUE(counted.report.brackets);
        EXPECT_EQ(counted.ending, Ending::lawful);
        // Of census node v has ((v, v+1), v+2) and ((v+3, v+4), v+5), as node v+3 does.
        EXPECT_EQ(counted.report.brackets->different, algorithm == "census" ? 3U : 1U);
        submission.collective.rules.agree = Force::law;
        EXPECT_EQ(check(submission, false, {}).ending, algorithm == "census" ? Ending::broken : Ending::lawful);
    }
}

/// Folds its own value with what comes, whichever has the lower contributions.
Program mine_before_theirs(Node& self) {
    Value sum = self.contribution();
    for (Port port = 0; port < 2; ++port) {
        co_await self.send(port, sum);
        const Arrival arrival = co_await self.receive(port);
        sum = self.fold(sum, arrival.value());
    }
    self.result(sum);
}

TEST(Agreement, CountsTheOrderOfOperandsAsPartOfABracket) {
    Job job;
    job.machine.topology = make_topology("hypercube:2");
    job.program = mine_before_theirs;
    job.all_start = true;
    job.collective = Collective::of(Operation::allreduce, 0, 8);
    job.reduction = brackets_of({});
    const RunResult result = run_lockstep(job, {});
    EXPECT_TRUE(result.verdict.lawful());
    EXPECT_EQ(result.agreement->different, 4U);
    EXPECT_EQ(result.agreement->height, 2U);
}

std::string hostile(Dice& dice) {
    static const std::vector<std::string> numbers = {"1e16",   "-1e16", "1", "-1",   "0.1", "1e308", "-1e308",
                                                     "5e-324", "-0",    "0", "3e-9", "inf", "2.5",   "1e-300"};
    return numbers[dice.below(numbers.size())];
}

/// Differing results, where the class forbids them.
void expect_class_kept(const Algorithm& algorithm, Experiment e, Dice& dice) {
    const auto agrees = agreement_of(algorithm, e.topology());
    const Outcome counted = counted_run(e);
    ASSERT_TRUE(counted.report.brackets);
    ASSERT_TRUE(agrees);
    EXPECT_EQ(counted.report.brackets->different > 1, agrees == Agrees::no);
    for (int vector = 0; vector < 4; ++vector) {
        e.options.reduction.values.clear();
        for (NodeId v = 0; v < e.topology().nodes(); ++v) e.options.reduction.values.push_back(hostile(dice));
        const Report report = run(e).report;
        ASSERT_TRUE(report.agreement);
        EXPECT_TRUE(report.agreement->different == 1 || agrees == Agrees::no);
    }
}

TEST(Agreement, IsAsTheClassOfEveryAlgorithmSaysOnHostileValues) {
    Dice dice(7);
    Sample sample(7, 3);
    unsigned runs = 0;
    for (const Algorithm& algorithm : catalogue())
        for (const char* spec : {"complete:5", "complete:6", "complete:8", "complete:11", "hypercube:3", "ring:6",
                                 "mesh:2x3", "torus:3x3", "line:5", "knoedel:3,8", "cbt:3"})
            for (const std::uint64_t packets : {1U, 3U})
                for (const Port ports : {1U, 2U}) {
                    if (!algorithm.operation.folds()) continue;
                    Experiment e = sum_of(spec, algorithm.name);
                    e.collective.operation = algorithm.operation;
                    e.collective.packets_each = packets;
                    e.machine.ports = PortLimit(ports);
                    if (misfit_of(algorithm, e.machine, e.collective, e.options)) continue;
                    if (!agreement_of(algorithm, e.topology()) || sample.leaves_out())
                        continue;  // not proven, or not drawn
                    SCOPED_TRACE(fmt::format("{} {} on {}, {} packets, {} ports", name(algorithm.operation),
                                             algorithm.name, spec, packets, ports));
                    expect_class_kept(algorithm, e, dice);
                    ++runs;
                }
    EXPECT_GT(runs, 200 / sample.one_of());
}

}  // namespace
}  // namespace kport::test
