/// @file operations_test.cpp   Exclusive scans, permutations in which nodes send nothing, operations among neighbours, counts of
///                             packets that differ, members, relays and groups: every row of the oracle's table that the options of this program can ask for.
///
/// Source   tests/oracle/tables/operations.csv: an independent sequential reference that replays explicit transfers.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

class EveryRowOfOperations : public testing::TestWithParam<std::string> {};

TEST_P(EveryRowOfOperations, EqualsTheRunInEveryBindingColumn) {
    test::Sample sample(3);
    int rows = 0;
    for (const Row& row : oracle::table("operations")) {
        if (row["operation"] != GetParam() || sample.leaves_out()) continue;
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

/// The counts of a row as sizes of one packet each, in packets of 8 bytes.
Collective sized(Collective collective) {
    std::vector<std::uint32_t> bytes = collective.counts->numbers();
    for (std::uint32_t& size : bytes) size *= 8;
    const Counts sizes(std::move(bytes), collective.counts->nodes(), collective.counts->counted_for());
    collective.packet_bytes = std::max<std::uint64_t>(8, sizes.largest());
    return counting(std::move(collective), std::make_shared<const Counts>(Counts::of_sizes(sizes)));
}

// model.md section 13.0: with combining both cost the same where sizes are counts of packets. Algorithms that know counts send packets
// one by one.
TEST(Sizes, CostWhatAsManyPacketsTogetherCost) {
    const CostModel model{"latency_A", {100, 1, 2}, 8};
    test::Sample sample(3);
    int rows = 0;
    for (const Row& row : oracle::table("operations")) {
        if (row["options"].find("--counts") == std::string::npos || !row.yes("combining") || sample.leaves_out())
            continue;
        const Asked asked(row, model);
        const Algorithm& algorithm = asked.algorithm(row["algorithm"]);
        if (asked.collective.counts == nullptr || asked.collective.members != nullptr || algorithm.single_packets ||
            (algorithm.knows_counts != nullptr && algorithm.knows_counts(asked.machine)))
            continue;
        SCOPED_TRACE(row.place() + " " + row["algorithm"] + " on " + row["topology"] + " " + row["options"]);
        Asked of_sizes = asked;
        of_sizes.collective = sized(asked.collective);
        if (misfit_of(algorithm, of_sizes.machine, of_sizes.collective, of_sizes.options)) continue;
        ++rows;
        const Verdict verdict = of_sizes.run(algorithm);
        EXPECT_TRUE(verdict.lawful());
        const Metrics counted = asked.run(algorithm).metrics;
        EXPECT_EQ(verdict.metrics.rounds, counted.rounds);
        EXPECT_EQ(verdict.metrics.work, counted.work);
        EXPECT_EQ(verdict.metrics.path_sum, counted.path_sum);
        EXPECT_EQ(verdict.metrics.volume, counted.volume);
        EXPECT_EQ(verdict.metrics.latency, counted.latency);
        const Bounds bounds = lower_bounds(of_sizes.machine, of_sizes.collective);
        EXPECT_LE(bounds[Quantity::volume].largest().value_or(0), static_cast<double>(verdict.metrics.volume));
        EXPECT_GT(bounds[Quantity::volume].largest().value_or(0), 0);
        EXPECT_LE(bounds[Quantity::latency].largest().value_or(0), verdict.metrics.latency);
        EXPECT_LE(bounds[Quantity::rounds].largest().value_or(0), static_cast<double>(verdict.metrics.rounds));
    }
    EXPECT_GT(rows, 30);
}

}  // namespace
}  // namespace kport
