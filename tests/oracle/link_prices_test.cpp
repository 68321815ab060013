/// @file link_prices_test.cpp   Machines whose links have prices of their own: bounds, latencies of given schedules, and the
///                              algorithms that a run chooses.
///
/// Source  tests/oracle/tables/weights.csv: bounds and search over informed sets of an independent reference.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/choice.hpp"
#include "algorithms/run_algorithm.hpp"
#include "app/files/graph_file.hpp"
#include "app/files/schedule_forms.hpp"
#include "app/stress/second_opinion.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/machine/presets.hpp"
#include "tests/oracle/collective.hpp"
#include "tests/oracle/table.hpp"

namespace kport {
namespace {

using oracle::Row;

double real(const Row& row, const std::string& column) { return std::stod(row[column]); }

/// The word behind an option; empty if it is not there.
std::string value_of(const std::string& options, std::string_view option) {
    const std::vector<std::string_view> words = split(options, ' ');
    const auto at = std::ranges::find(words, option);
    return at == words.end() ? "" : std::string(*(at + 1));
}

const std::string graphs_of_prices = "tests/files/graphs/prices/";

Machine machine_of_prices(const Row& row) {
    Machine machine;
    machine.ports = port_limit_of(row["ports"]).value();
    machine.switching = row["switching"] == "SF" ? Switching::store_and_forward : Switching::wormhole;
    machine.costs = {real(row, "ts"), real(row, "td"), real(row, "tm")};
    if (!row["graph"].starts_with("w-")) {
        machine.topology = make_topology(row["graph"]);
        machine.costs = preset_costs(value_of(row["options"], "--prices"), "--prices");
        return machine;
    }
    const GraphFile file = read_graph_file(graphs_of_prices + row["graph"]);
    machine.topology = machine_graph(file);
    const PriceSources sources{value_of(row["options"], "--td-by"), value_of(row["options"], "--tm-by")};
    machine.prices =
        std::make_shared<const LinkPrices>(sources, machine.topology->wires(), prices_of_links(file, sources));
    return machine;
}

Collective broadcast_of(const Row& row) {
    return Collective::of(Operation::broadcast, row.number("source"), row.number("bytes"));
}

std::string told_of_prices(const Row& row) {
    return row.place() + " on " + row["graph"] + " " + row["options"] + ", " + row["ports"] + "-port " +
           row["switching"] + ", from " + row["source"];
}

constexpr double rounding = 1e-9;

class LinkPricesRow : public testing::TestWithParam<Row> {};

TEST_P(LinkPricesRow, HasABoundBetweenThatOfTheReferenceAndItsMinimum) {
    const Row& row = GetParam();
    const Machine machine = machine_of_prices(row);
    const Costs& costs = machine.costs;
    EXPECT_DOUBLE_EQ(costs.startup, real(row, "ts")) << told_of_prices(row);
    EXPECT_DOUBLE_EQ(costs.hop, real(row, "td")) << told_of_prices(row);
    EXPECT_DOUBLE_EQ(costs.byte, real(row, "tm")) << told_of_prices(row);
    const Bound latency = reached_bounds(machine, broadcast_of(row))[Quantity::latency];
    const double bound = latency.largest().value();
    EXPECT_GE(bound, real(row, "bound_latency") - rounding) << told_of_prices(row) << ": " << latency.binding();
    if (row.has("minimum_latency")) {
        EXPECT_LE(bound, real(row, "minimum_latency") + rounding) << told_of_prices(row) << ": " << latency.binding();
    }
    if (machine.prices == nullptr) return;
    const auto has = [&](std::string_view name, double value) {
        return std::ranges::any_of(latency.arguments, [&](const Argument& argument) {
            return argument.name.starts_with(name) && std::abs(argument.value - value) <= rounding;
        });
    };
    EXPECT_TRUE(has("cheapest way", real(row, "path_bound"))) << told_of_prices(row);
    EXPECT_TRUE(has("rounds by price", real(row, "levels_bound"))) << told_of_prices(row);
}

TEST_P(LinkPricesRow, MeasuresTheLatencyOfTheGivenSchedule) {
    const Row& row = GetParam();
    if (!row.has("schedule")) return;
    const Machine machine = machine_of_prices(row);
    const Collective broadcast = broadcast_of(row);
    std::ifstream in(graphs_of_prices + row["schedule"]);
    ScheduleContext context;
    context.machine = machine;
    const Schedule schedule = read_any_schedule(in, row["schedule"], context).told.schedule;
    const Verdict verdict = audit(schedule, machine, broadcast, true);
    EXPECT_TRUE(verdict.lawful()) << told_of_prices(row);
    EXPECT_NEAR(verdict.metrics.latency, real(row, "latency"), rounding) << told_of_prices(row);
    EXPECT_EQ(second_opinion(schedule, machine, broadcast, verdict), "") << told_of_prices(row);
    // A wrong price of one link that the schedule uses is noticed by the other judge.
    umpire::Game game = game_of(schedule, machine, broadcast);
    for (auto& ports : game.prices)
        for (auto& price : ports) price.first += 1;
    if (machine.costs.hop > 0) {
        EXPECT_NE(disagreement(game, umpire::judge(game), verdict), "") << told_of_prices(row);
    }
}

TEST_P(LinkPricesRow, IsRunByTheAlgorithmOfTheLeastLatencyOnAnyNumberOfThreads) {
    const Row& row = GetParam();
    const Machine machine = machine_of_prices(row);
    const Collective broadcast = broadcast_of(row);
    const AlgorithmOptions options;
    const Choice choice = choose(machine, broadcast, options);
    const double bound = reached_bounds(machine, broadcast)[Quantity::latency].largest().value();
    std::optional<double> latency;
    for (const unsigned threads : {1U, 2U, 3U}) {
        RunOptions run_options;
        run_options.threads = threads;
        run_options.partition_nodes = 1;
        const Metrics metrics =
            run_algorithm(*choice.algorithm, machine, broadcast, choice.options(options), {}, run_options)
                .verdict.metrics;
        EXPECT_EQ(metrics.latency, latency.value_or(metrics.latency)) << told_of_prices(row) << ", threads " << threads;
        latency = metrics.latency;
    }
    EXPECT_GE(*latency, bound - rounding) << told_of_prices(row);
    if (row.has("minimum_latency")) {
        EXPECT_GE(*latency, real(row, "minimum_latency") - rounding) << told_of_prices(row);
    }
    // `layered` weighs prices, and on graphs as small as these it takes the least latency.
    if (row.has("minimum_latency") && machine.prices != nullptr) {
        EXPECT_LE(*latency, real(row, "minimum_latency") + rounding) << told_of_prices(row);
    }
    for (const Candidate& candidate : choice.candidates)
        if (candidate.predicted && candidate.predicted->grounds != Grounds::at_most) {
            EXPECT_LE(*latency, candidate.predicted->latency + rounding)
                << told_of_prices(row) << ": " << candidate.name();
        }
}

INSTANTIATE_TEST_SUITE_P(Rows, LinkPricesRow, testing::ValuesIn(oracle::table("weights")), [](const auto& row) {
    return "line" + row.param.place().substr(row.param.place().rfind(':') + 1);
});

}  // namespace
}  // namespace kport
