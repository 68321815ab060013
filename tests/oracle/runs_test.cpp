/// @file runs_test.cpp   Every row of the oracle tables, run for real: rounds, work, path sum, volume, latency, the rules;
///                       and reversed in time, where that is an operation too.
///
/// Sources  tests/oracle/tables: an independent sequential reference that replays explicit transfers;
///          tests/oracle/counted.csv: the umpire's count (counted_test.cpp).
#include <array>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/oracle/all_tables.hpp"
#include "tests/oracle/asked.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using oracle::Asked;
using oracle::cost_models;
using oracle::CostModel;
using oracle::Row;
using oracle::tables;
using oracle::word;

/// Columns that bind only for one choice of tree, flow or paths (README of the tables); what was counted of our own binds.
bool binds(const Row& row, const std::string& column) {
    if (row.place().starts_with("counted.csv")) return true;
    const std::string& algorithm = row["algorithm"];
    if (algorithm == "flow") return column == "rounds" || column == "volume";
    if (algorithm == "code") return column == "rounds";
    if (algorithm == "layered") return false;
    if (!row.place().starts_with("broadcast.csv") && !row.place().starts_with("scatter.csv")) return true;
    if (algorithm == "euler-rda") return column == "rounds" || column == "volume";
    if (row["operation"] == "scatter" && row["algorithm"] == "dost") return column != "volume" && column != "latency";
    return true;
}

void expect_row(const Row& row) {
    SCOPED_TRACE(row.place() + " " + row["algorithm"] + " on " + row["topology"] + " from " + row["source"]);
    for (const CostModel& model : cost_models(operation_named(row["operation"]))) {
        Asked asked(row, model);
        const Algorithm& algorithm = asked.algorithm(row["algorithm"]);
        const Verdict verdict = asked.run(algorithm);

        EXPECT_LE(verdict.metrics.rounds, row.number("rounds"));
        if (binds(row, "rounds")) {
            EXPECT_EQ(verdict.metrics.rounds, row.number("rounds"));
        }
        if (binds(row, "work")) {
            EXPECT_EQ(verdict.metrics.work, row.number("work"));
            EXPECT_EQ(verdict.metrics.path_sum, row.number("path_sum"));
        }
        if (binds(row, "volume")) {
            EXPECT_EQ(verdict.metrics.volume, row.number("volume_packets") * model.packet_bytes);
        }
        if (binds(row, "latency")) {
            EXPECT_EQ(verdict.metrics.latency, static_cast<double>(row.number(model.column)));
        }
        EXPECT_EQ(verdict.delivered, row.yes("delivered"));
        EXPECT_EQ(verdict.kept(Rule::nodup), row.yes("nodup"));
        EXPECT_EQ(verdict.kept(Rule::noho), row.yes("noho"));
        EXPECT_TRUE(verdict.kept(Rule::ports) && verdict.kept(Rule::channel) && verdict.kept(Rule::strict));

        // What the textbook derives is what the run measures.
        const ExpectedCost expected = expected_cost(algorithm, asked.machine, asked.collective, asked.options);
        if (binds(row, "volume")) {
            EXPECT_EQ(expected.volume.value_or(row.number("volume_packets")), row.number("volume_packets"));
        }
        EXPECT_EQ(expected.rounds.value_or(verdict.metrics.rounds), verdict.metrics.rounds);
        EXPECT_EQ(expected.work.value_or(verdict.metrics.work), verdict.metrics.work);
        EXPECT_EQ(expected.path_sum.value_or(verdict.metrics.path_sum), verdict.metrics.path_sum);

        // Without rounds all is the same; where claims compete, because lockstep runs it.
        RunOptions free;
        free.engine = EngineKind::free;
        free.threads = std::array{1U, 2U, 8U}[verdict.metrics.work % 3];
        const Verdict without_rounds = asked.run(algorithm, free);
        EXPECT_EQ(test::text(without_rounds, *asked.machine.topology), test::text(verdict, *asked.machine.topology));

        if (algorithm.competes) continue;
        // Nothing waits because others compete (model.md section 8): flooding's NODUP aside, strict runs are clean.
        asked.machine.policy = Policy::strict;
        const Verdict strictly = asked.run(algorithm);
        EXPECT_TRUE(strictly.kept(Rule::strict));
        EXPECT_EQ(strictly.violation_count, verdict.violation_count);
    }
}

/// The row reversed in time as another operation costs the same in every quantity, and keeps every rule (model.md
/// section 1).
void expect_same_reversed(const Row& row, Operation operation) {
    SCOPED_TRACE(row.place() + " " + row["algorithm"] + " on " + row["topology"] + " from " + row["source"]);
    Asked asked(row, cost_models(operation).front());
    const Metrics forward = asked.run(asked.algorithm(row["algorithm"])).metrics;
    asked.collective.operation = operation;
    const Verdict reversed = asked.run(asked.algorithm(row["algorithm"]));
    EXPECT_TRUE(reversed.lawful());
    EXPECT_EQ(reversed.metrics.rounds, forward.rounds);
    EXPECT_EQ(reversed.metrics.work, forward.work);
    EXPECT_EQ(reversed.metrics.path_sum, forward.path_sum);
    EXPECT_EQ(reversed.metrics.volume, forward.volume);
    EXPECT_EQ(reversed.metrics.latency, forward.latency);
}

std::string full_name(Operation operation, std::string_view algorithm) {
    return std::string(name(operation)) + " " + std::string(algorithm);
}

/// Of every algorithm, the catalogue's first; then those that only the tables have.
std::vector<std::string> all_names() {
    std::vector<std::string> names;
    for (const Algorithm& row : catalogue()) names.push_back(full_name(row.operation, row.name));
    const std::set<std::string> known(names.begin(), names.end());
    for (const auto& [full, rows] : tables())
        if (!known.contains(full)) names.push_back(full);
    return names;
}

std::vector<Algorithm> reversed_in_time() {
    std::vector<Algorithm> rows;
    for (const Algorithm& row : catalogue())
        if (row.way == Way::reversed) rows.push_back(row);
    return rows;
}

class EveryOracleRow : public testing::TestWithParam<std::string> {};

TEST_P(EveryOracleRow, EqualsTheRunInEveryBindingColumn) {
    const auto rows = tables().find(GetParam());
    ASSERT_NE(rows, tables().end()) << "the tables have no row for " << GetParam();
    const Row& first = rows->second.front();
    ASSERT_NE(find_algorithm(operation_named(first["operation"]), first["algorithm"]), nullptr)
        << "the catalogue has no " << GetParam();
    test::Sample sample(3);
    for (const Row& row : rows->second)
        if (!sample.leaves_out()) expect_row(row);
}

TEST(EveryBroadcast, TakesNoFewerRoundsThanTheExactMinimum) {
    for (const Row& row : oracle::table("exact_packets")) {
        Machine machine;
        machine.topology = make_topology(row["topology"] == "graph:petersen" ? "petersen" : row["topology"]);
        machine.ports = oracle::ports_of(row);
        machine.combining = false;
        Collective collective = Collective::broadcast(row.number("source"), 8);
        collective.packets_each = row.number("packets");
        for (const Algorithm* algorithm : applicable(machine, collective, {})) {
            const Verdict verdict = run_algorithm(*algorithm, machine, collective, {}, Payload{}, {}).verdict;
            EXPECT_GE(verdict.metrics.rounds, row.number("rounds_minimum"))
                << row.place() << " " << algorithm->name << " on " << row["topology"];
        }
    }
}

class EveryReversibleRow : public testing::TestWithParam<Algorithm> {};

TEST_P(EveryReversibleRow, CostsTheSameReversedInTimeAndKeepsEveryRule) {
    const Algorithm& algorithm = GetParam();
    const auto rows = tables().find(full_name(algorithm.forward, algorithm.name));
    ASSERT_NE(rows, tables().end());
    for (const Row& row : rows->second) expect_same_reversed(row, algorithm.operation);
}

INSTANTIATE_TEST_SUITE_P(Tables, EveryOracleRow, testing::ValuesIn(all_names()),
                         [](const auto& test) { return word(test.param); });
INSTANTIATE_TEST_SUITE_P(Tables, EveryReversibleRow, testing::ValuesIn(reversed_in_time()),
                         [](const auto& test) { return word(full_name(test.param.operation, test.param.name)); });

}  // namespace
}  // namespace kport
