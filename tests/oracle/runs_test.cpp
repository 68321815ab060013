/// @file runs_test.cpp   Every row of the oracle tables, run for real: rounds, work, path sum, volume, latency, the rules.
///
/// Source   tests/oracle/tables: an independent sequential reference that replays explicit transfers.
#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "tests/oracle/table.hpp"

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

void expect_row(const Row& row) {
    SCOPED_TRACE(row.place() + " " + row["algorithm"] + " on " + row["topology"] + " from " + row["source"]);
    struct Model {
        const char* column;
        Costs costs;
        std::uint64_t packet_bytes;
    };
    for (const Model& model : {Model{"latency_A", {100, 1, 2}, 8}, Model{"latency_B", {100, 7, 1}, 1}}) {
        Machine machine = machine_of(row);
        machine.costs = model.costs;
        Request request;
        request.operation = operation_named(row["operation"]);
        request.root = row.has("source") ? row.number("source") : 0;
        request.packet_bytes = model.packet_bytes;
        const AlgorithmOptions options = options_of(row["options"]);
        const Algorithm& algorithm = algorithm_named(row["algorithm"], machine, request, options);
        const Job job = make_job(algorithm, machine, request, options);
        const Verdict verdict = run_lockstep(job, RunOptions{}).verdict;

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
        EXPECT_EQ(verdict.nodup, row.yes("nodup"));
        EXPECT_EQ(verdict.noho, row.yes("noho"));
        EXPECT_TRUE(verdict.ports && verdict.channels && verdict.strict);

        // What the textbook derives is what the run measures.
        const ExpectedCost expected = algorithm.expect(machine, request, options);
        EXPECT_EQ(expected.rounds.value_or(verdict.metrics.rounds), verdict.metrics.rounds);
        EXPECT_EQ(expected.work.value_or(verdict.metrics.work), verdict.metrics.work);
        EXPECT_EQ(expected.path_sum.value_or(verdict.metrics.path_sum), verdict.metrics.path_sum);

        // Nothing waits because others compete (model.md section 8): flooding's NODUP aside, strict runs are clean.
        Job strict = job;
        strict.machine.policy = Policy::strict;
        const Verdict strictly = run_lockstep(strict, RunOptions{}).verdict;
        EXPECT_TRUE(strictly.strict);
        EXPECT_EQ(strictly.violation_count, verdict.violation_count);
    }
}

/// The rows of all tables, by operation and algorithm.
using Tables = std::map<std::string, std::vector<Row>>;
const Tables& tables() {
    static const Tables all = [] {
        Tables by_name;
        for (const OperationInfo& operation : operations())
            for (const Row& row : oracle::table(std::string(operation.name)))
                by_name[row["operation"] + " " + row["algorithm"]].push_back(row);
        return by_name;
    }();
    return all;
}

std::vector<std::string> implemented() {
    std::vector<std::string> names;
    for (const Algorithm& row : catalogue())
        names.push_back(std::string(name(row.operation)) + " " + std::string(row.name));
    return names;
}

class EveryOracleRow : public testing::TestWithParam<std::string> {};

TEST_P(EveryOracleRow, EqualsTheRunInEveryBindingColumn) {
    const auto rows = tables().find(GetParam());
    ASSERT_NE(rows, tables().end()) << "the tables have no row for " << GetParam();
    for (const Row& row : rows->second) expect_row(row);
}

INSTANTIATE_TEST_SUITE_P(Tables, EveryOracleRow, testing::ValuesIn(implemented()), [](const auto& test) {
    std::string text = test.param;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
    return text;
});

}  // namespace
}  // namespace kport
