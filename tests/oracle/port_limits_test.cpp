/// @file port_limits_test.cpp   Machines whose nodes send and receive different numbers of messages a round: bounds, and the
///                              algorithms that a run chooses.
///
/// Source  tests/oracle/tables/ports.csv: maximum flows over time and exhaustive search of an independent reference.
#include <algorithm>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/choice.hpp"
#include "algorithms/run_algorithm.hpp"
#include "app/files/graph_file.hpp"
#include "app/stress/second_opinion.hpp"
#include "tests/oracle/collective.hpp"
#include "tests/oracle/table.hpp"

namespace kport {
namespace {

using oracle::collective_of;
using oracle::Row;

Machine machine_of_limits(const Row& row) {
    constexpr std::string_view ports = "--ports ";
    Machine machine;
    machine.combining = row.yes("combining");
    const std::string& options = row["options"];
    if (options.starts_with(ports)) {
        machine.topology = make_topology(row["topology"]);
        machine.ports = port_limit_of(options.substr(ports.size())).value();
        return machine;
    }
    GraphOptions of_file;
    of_file.node_values = "ports";
    const GraphFile file = read_graph_file("tests/files/graphs/ports/" + row["topology"], of_file);
    machine.topology = machine_graph(file);
    NodePorts own{"ports", {}};
    for (const std::string& value : file.node_values)
        own.limits.push_back(value.empty() ? machine.ports : port_limit_of(value).value());
    machine.node_ports = std::make_shared<const NodePorts>(std::move(own));
    return machine;
}

std::string told(const Row& row) {
    return row.place() + " " + row["operation"] + " on " + row["topology"] + " " + row["options"] + ", combining " +
           row["combining"] + ", from " + row["source"];
}

class PortLimitsRow : public testing::TestWithParam<Row> {};

TEST_P(PortLimitsRow, HasBoundsBetweenThoseOfTheReferenceAndItsMinimum) {
    const Row& row = GetParam();
    const Machine machine = machine_of_limits(row);
    ASSERT_EQ(machine.topology->nodes(), row.number("nodes"));
    const Bounds bounds = reached_bounds(machine, collective_of(row, 1));
    const double rounds = bounds[Quantity::rounds].largest().value();
    EXPECT_GE(rounds, static_cast<double>(row.number("bound_rounds"))) << told(row);
    EXPECT_GE(bounds[Quantity::volume].largest().value(), static_cast<double>(row.number("bound_volume_packets")))
        << told(row);
    if (!row.has("rounds_minimum")) return;
    const auto minimum = static_cast<double>(row.number("rounds_minimum"));
    EXPECT_LE(rounds, minimum) << told(row) << ": " << bounds[Quantity::rounds].binding();
    EXPECT_LE(bounds[Quantity::rounds].least.value_or(0), minimum) << told(row);
    if (rounds < minimum) {
        EXPECT_NE(bounds[Quantity::rounds].reachable, Reachable::yes) << told(row) << bounds[Quantity::rounds].met_by;
    }
}

TEST_P(PortLimitsRow, IsRunByTheDefaultAlgorithmWithinBothLimits) {
    const Row& row = GetParam();
    const Machine machine = machine_of_limits(row);
    Collective collective = collective_of(row, 8);
    const AlgorithmOptions options;
    Machine even = machine;  // of the ports that all nodes have
    even.ports = PortLimit(std::max<Port>(1, machine.common_ports().k()));
    even.node_ports = nullptr;
    if (machine.common_ports().k() > 0 && applicable(even, collective, options).empty())
        GTEST_SKIP() << "no algorithm runs with the lower of both limits";
    const Choice choice = choose(machine, collective, options);
    Schedule schedule;
    RunOptions recorded;
    recorded.recorded_schedule = &schedule;
    const AlgorithmOptions chosen = choice.options(options);
    const Verdict verdict = run_algorithm(*choice.algorithm, machine, collective, chosen, {}, recorded).verdict;
    EXPECT_TRUE(verdict.lawful()) << told(row) << ": " << choice.algorithm->name;
    const std::uint64_t expected =
        expected_cost(*choice.algorithm, machine, collective, chosen).rounds.value_or(verdict.metrics.rounds);
    EXPECT_EQ(verdict.metrics.rounds, expected) << told(row) << ": " << choice.algorithm->name;
    if (row.has("rounds_minimum")) {
        EXPECT_GE(verdict.metrics.rounds, row.number("rounds_minimum")) << told(row);
    }
    const Bounds bounds = reached_bounds(machine, collective);
    EXPECT_GE(static_cast<double>(verdict.metrics.rounds), bounds[Quantity::rounds].largest().value()) << told(row);
    EXPECT_GE(static_cast<double>(verdict.metrics.volume), bounds[Quantity::volume].largest().value()) << told(row);
    // The umpire counts sends and receives by the model alone.
    const umpire::Opinion opinion = judge(game_of(schedule, machine, collective));
    EXPECT_TRUE(opinion.findings.empty() && opinion.undelivered.empty()) << told(row);
    EXPECT_EQ(opinion.rounds, verdict.metrics.rounds) << told(row);
}

INSTANTIATE_TEST_SUITE_P(Rows, PortLimitsRow, testing::ValuesIn(oracle::table("ports")), [](const auto& row) {
    return "line" + row.param.place().substr(row.param.place().rfind(':') + 1);
});

}  // namespace
}  // namespace kport
