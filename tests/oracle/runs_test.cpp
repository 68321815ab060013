/// @file runs_test.cpp   Every row of the oracle tables, run for real: rounds, work, path sum, volume, latency, the rules;
///                       and reversed in time, where that is an operation too.
///
/// Source   tests/oracle/tables: an independent sequential reference that replays explicit transfers.
#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "tests/oracle/table.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using oracle::Row;

AlgorithmOptions options_of(const std::string& text) {
    AlgorithmOptions options;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        std::string value;
        words >> value;
        if (word == "--keep") {
            options.keep = value == "greater" ? Keep::greater : Keep::smaller;
        } else if (word == "--dimensions") {
            std::istringstream list(value);
            for (std::string item; std::getline(list, item, ',');)
                options.dimensions.push_back(static_cast<unsigned>(std::stoul(item)));
        } else {
            ADD_FAILURE() << "the tables use an option that this test does not know: " << word;
        }
    }
    return options;
}

Machine machine_of(const Row& row) {
    Machine machine;
    machine.topology = make_topology(row["topology"]);
    if (row["ports"] == "all")
        machine.ports = PortLimit::all();
    else
        machine.ports = PortLimit(static_cast<Port>(row.number("ports")));
    machine.switching = row["switching"] == "WH" ? Switching::wormhole : Switching::store_and_forward;
    machine.combining = row.yes("combining");
    return machine;
}

/// Columns that bind only for one choice of tree (README of the tables).
bool binds(const Row& row, const std::string& column) {
    if (row["algorithm"] == "euler-rda") return column == "rounds" || column == "volume";
    if (row["operation"] == "scatter" && row["algorithm"] == "dost") return column != "volume" && column != "latency";
    return true;
}

/// One of the two sets of costs under which the tables give latencies.
struct CostModel {
    const char* column;
    Costs costs;
    std::uint64_t packet_bytes;
};

std::vector<CostModel> cost_models(Operation operation) {
    // Reductions fold elements of 8 bytes: with an eighth of the cost a byte they cost what packets of one byte do.
    const CostModel b =
        operation.folds() ? CostModel{"latency_B", {100, 7, 0.125}, 8} : CostModel{"latency_B", {100, 7, 1}, 1};
    return {{"latency_A", {100, 1, 2}, 8}, b};
}

/// A row as it is asked for under a cost model.
struct Asked {
    Machine machine;
    Collective collective;
    AlgorithmOptions options;

    Asked(const Row& row, const CostModel& model) : machine(machine_of(row)), options(options_of(row["options"])) {
        machine.costs = model.costs;
        collective.operation = operation_named(row["operation"]);
        collective.root = row.has("source") ? row.number("source") : 0;
        collective.packet_bytes = model.packet_bytes;
    }

    [[nodiscard]] const Algorithm& algorithm(const std::string& name) const {
        return algorithm_named(name, machine, collective, options);
    }
    [[nodiscard]] Verdict run(const Algorithm& algorithm, const RunOptions& run_options = {}) const {
        return run_algorithm(algorithm, machine, collective, options, Payload{}, run_options).verdict;
    }
};

void expect_row(const Row& row) {
    SCOPED_TRACE(row.place() + " " + row["algorithm"] + " on " + row["topology"] + " from " + row["source"]);
    for (const CostModel& model : cost_models(operation_named(row["operation"]))) {
        Asked asked(row, model);
        const Algorithm& algorithm = asked.algorithm(row["algorithm"]);
        const Verdict verdict = asked.run(algorithm);

        EXPECT_EQ(verdict.metrics.rounds, row.number("rounds"));
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
        const ExpectedCost expected = algorithm.expect(asked.machine, asked.collective, asked.options);
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

/// The rows of all tables, by operation and algorithm.
using Tables = std::map<std::string, std::vector<Row>>;
const Tables& tables() {
    static const Tables all = [] {
        Tables by_name;
        for (const Operation& operation : operations())
            for (const Row& row : oracle::table(std::string(name(operation))))
                by_name[row["operation"] + " " + row["algorithm"]].push_back(row);
        return by_name;
    }();
    return all;
}

std::string full_name(Operation operation, std::string_view algorithm) {
    return std::string(name(operation)) + " " + std::string(algorithm);
}

/// Those that need rows of their own; of the others the tables hold samples, and the rows of what they reverse.
std::vector<std::string> implemented() {
    std::vector<std::string> names;
    for (const Algorithm& row : catalogue()) {
        const std::string name = full_name(row.operation, row.name);
        if (row.way != Way::reversed || tables().count(name) != 0) names.push_back(name);
    }
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
    for (const Row& row : rows->second) expect_row(row);
}

class EveryReversibleRow : public testing::TestWithParam<Algorithm> {};

TEST_P(EveryReversibleRow, CostsTheSameReversedInTimeAndKeepsEveryRule) {
    const Algorithm& algorithm = GetParam();
    const auto rows = tables().find(full_name(algorithm.forward, algorithm.name));
    ASSERT_NE(rows, tables().end());
    for (const Row& row : rows->second) expect_same_reversed(row, algorithm.operation);
}

/// A name of an algorithm as gtest takes it.
std::string word(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
    return text;
}

INSTANTIATE_TEST_SUITE_P(Tables, EveryOracleRow, testing::ValuesIn(implemented()),
                         [](const auto& test) { return word(test.param); });
INSTANTIATE_TEST_SUITE_P(Tables, EveryReversibleRow, testing::ValuesIn(reversed_in_time()),
                         [](const auto& test) { return word(full_name(test.param.operation, test.param.name)); });

}  // namespace
}  // namespace kport
