/// @file operations_test.cpp   Exclusive scans, permutations in which nodes send nothing, operations among neighbours, counts of
///                             packets that differ, members, relays and groups: every row of the oracle's table that the options of this program can ask for.
///
/// Source   tests/oracle/tables/operations.csv: an independent sequential reference that replays explicit transfers.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "algorithms/bounds/bounds.hpp"
#include "tests/oracle/asked.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

using oracle::Asked;
using oracle::CostModel;
using oracle::Row;

bool binds_in_operations(const Row& row, const std::string& column) {
    return row["binds"] == "all" || row["binds"].find(column) != std::string::npos;
}

/// The program's bounds are at least those of the reference, and never above what a lawful run took.
void expect_bounds_of_operations(const Row& row, const Asked& asked, const Metrics& measured) {
    const Bounds bounds = lower_bounds(asked.machine, asked.collective);
    const auto least = [&](Quantity quantity) { return bounds[quantity].largest().value_or(0); };
    if (row.has("bound_rounds")) {
        EXPECT_GE(least(Quantity::rounds), static_cast<double>(row.number("bound_rounds")));
    }
    if (row.has("bound_work")) {
        EXPECT_GE(least(Quantity::work), static_cast<double>(row.number("bound_work")));
    }
    if (row.has("bound_volume_bytes")) {
        EXPECT_GE(least(Quantity::volume), static_cast<double>(row.number("bound_volume_bytes")));
    }
    EXPECT_LE(least(Quantity::rounds), static_cast<double>(measured.rounds));
    EXPECT_LE(least(Quantity::work), static_cast<double>(measured.work));
    EXPECT_LE(least(Quantity::path_sum), static_cast<double>(measured.path_sum));
    EXPECT_LE(least(Quantity::volume), static_cast<double>(measured.volume));
    EXPECT_LE(least(Quantity::latency), measured.latency);
}

void expect_row_of_operations(const Row& row, const CostModel& model) {
    const Asked asked(row, model);
    const Algorithm& algorithm = asked.algorithm(row["algorithm"]);
    const Verdict verdict = asked.run(algorithm);
    EXPECT_TRUE(verdict.lawful());
    EXPECT_TRUE(verdict.delivered);
    EXPECT_GT(verdict.compared_packets, 0U);
    const ExpectedCost expected = expected_cost(algorithm, asked.machine, asked.collective, asked.options);
    EXPECT_EQ(verdict.metrics.rounds, row.number("rounds"));
    EXPECT_EQ(expected.rounds.value_or(row.number("rounds")), row.number("rounds"));
    if (binds_in_operations(row, "work")) {
        EXPECT_EQ(verdict.metrics.work, row.number("work"));
        EXPECT_EQ(expected.work.value_or(row.number("work")), row.number("work"));
    }
    EXPECT_EQ(verdict.metrics.volume * 8, row.number("volume_bytes") * model.packet_bytes);
    if (binds_in_operations(row, "path_sum")) {
        EXPECT_EQ(verdict.metrics.path_sum, row.number("path_sum"));
    }
    if (binds_in_operations(row, "latency")) {
        EXPECT_EQ(verdict.metrics.latency, static_cast<double>(row.number(model.column)));
    }
    if (model.packet_bytes == 8) expect_bounds_of_operations(row, asked, verdict.metrics);
}

/// An allreduce among all nodes that agrees is no algorithm of the program yet.
bool is_not_asked_for_yet(const Row& row) { return row["operation"] == "allreduce" && !row.has("options"); }

class EveryRowOfOperations : public testing::TestWithParam<std::string> {};

TEST_P(EveryRowOfOperations, EqualsTheRunInEveryBindingColumn) {
    test::Sample sample(3);
    int rows = 0;
    for (const Row& row : oracle::table("operations")) {
        if (row["operation"] != GetParam() || is_not_asked_for_yet(row) || sample.leaves_out()) continue;
        ++rows;
        SCOPED_TRACE(row.place() + " " + row["algorithm"] + " on " + row["topology"] + " " + row["options"]);
        for (const CostModel& model : oracle::cost_models(operation_named(row["operation"])))
            expect_row_of_operations(row, model);
    }
    EXPECT_GT(rows, 0);
}

INSTANTIATE_TEST_SUITE_P(Tables, EveryRowOfOperations,
                         testing::Values("exscan", "permutation", "neighbor-allgather", "neighbor-alltoall",
                                         "broadcast", "reduce", "allreduce", "scatter", "gather", "allgather",
                                         "reduce-scatter", "alltoall"),
                         [](const auto& test) {
                             std::string word = test.param;
                             std::ranges::replace(word, '-', '_');
                             return word;
                         });

}  // namespace
}  // namespace kport
