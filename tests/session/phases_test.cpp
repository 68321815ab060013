/// @file phases_test.cpp   The phases of hierarchical algorithms: each has its own verdict and bounds, and they add up (docs/report.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/session/run.hpp"
#include "emulator/report/report.hpp"
#include "tests/oracle/asked.hpp"
#include "tests/session/experiments.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport::test {
namespace {

using oracle::Row;
using testing::HasSubstr;

TEST(Phases, AddUpToTheWholeInEveryQuantityAndAreLawful) {
    int rows = 0;
    for (const Row& row : oracle::table("operations")) {
        if (row["algorithm"] != "hierarchical") continue;
        SCOPED_TRACE(row.place() + " " + row["operation"] + " on " + row["topology"] + " " + row["options"]);
        ++rows;
        const oracle::Asked asked(row, {"latency_A", {100, 1, 2}, 8});
        Experiment e = experiment(row["topology"], operation_named(row["operation"]));
        e.machine = asked.machine;
        e.collective = asked.collective;
        e.options = asked.options;
        e.algorithm = "hierarchical";
        const Report report = run(e).report;
        ASSERT_FALSE(report.phases.empty());
        for (const QuantityRow& quantity : quantity_rows) {
            double sum = 0;
            for (const Report& phase : report.phases) sum += quantity.of(phase.verdict.metrics);
            EXPECT_EQ(sum, quantity.of(report.verdict.metrics)) << quantity.key;
            for (const Report& phase : report.phases)
                EXPECT_LE(phase.bounds[quantity.quantity].value.value_or(0), quantity.of(phase.verdict.metrics))
                    << quantity.key;
        }
        for (const Report& phase : report.phases) EXPECT_TRUE(phase.verdict.lawful());
    }
    EXPECT_GT(rows, 5);
}

TEST(Phases, AreToldByWhatEachDoesAmongWhom) {
    Experiment e = experiment("complete:8", Operation::allreduce);
    e.algorithm = "hierarchical";
    e.options = oracle::options_of("--groups 0-3/4-7 --intra farthest-first --inter exchange");
    const Report report = run(e).report;
    ASSERT_EQ(report.phases.size(), 3U);
    EXPECT_EQ(report.phases[0].collective.operation, Operation::reduce);
    EXPECT_EQ(report.phases[0].collective.groups->size(), 2U);
    EXPECT_EQ(report.phases[1].collective.operation, Operation::allreduce);
    EXPECT_EQ(report.phases[1].algorithm, "exchange");
    EXPECT_EQ(report.phases[1].machine.topology->nodes(), 2U);
    EXPECT_EQ(report.phases[2].collective.operation, Operation::broadcast);
    const std::string text = text_report(report, Paint(false), 100);
    EXPECT_THAT(text, HasSubstr("reduce farthest-first"));
    EXPECT_THAT(text, HasSubstr("in 2 groups"));
    EXPECT_THAT(text, HasSubstr("2 of 8 nodes"));
}

TEST(Phases, AreThoseOfAlgorithmsThatHaveSome) {
    Experiment e = experiment("complete:8", Operation::allreduce);
    e.algorithm = "exchange";
    EXPECT_TRUE(run(e).report.phases.empty());
}

}  // namespace
}  // namespace kport::test
