/// @file round_flow_test.cpp   Rounds of flows through switches and over links with prices: planned broadcasts and scatters.
///
/// Source  tests/oracle/tables/switched.csv: minima of an independent reference.
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/planning/heuristics.hpp"
#include "algorithms/planning/round_flow.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "tests/oracle/table.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using planning::RoundFlow;

std::vector<bool> knows(const Machine& machine, const std::vector<NodeId>& hosts) {
    std::vector<bool> informed(machine.topology->nodes(), false);
    for (const NodeId v : hosts) informed[v] = true;
    return informed;
}

TEST(ARoundOfFlows, ServesReceiversWhoseMessagesFindRoom) {
    const Machine thin = test::machine("leaf-spine:2,1,2");  // one channel between the leaves
    RoundFlow flow(thin);
    flow.restart(knows(thin, {0, 1}));
    EXPECT_TRUE(flow.add(2));
    EXPECT_FALSE(flow.add(3)) << "both messages would cross the channel";
    const Machine thick = test::machine("leaf-spine:2,1,2,2");
    RoundFlow two(thick);
    two.restart(knows(thick, {0, 1}));
    EXPECT_TRUE(two.add(2) && two.add(3));
    EXPECT_EQ(two.calls(1).size(), 2U);
    two.restart(knows(thick, {0}));
    EXPECT_TRUE(two.add(2));
    EXPECT_FALSE(two.add(3)) << "a 1-port host";
}

TEST(ARoundOfFlows, PassesNoMoreThanTheLimitOfASwitch) {
    Machine bus = test::machine("crossbar:4");
    bus.switch_limit = 1;
    RoundFlow flow(bus);
    flow.restart(knows(bus, {0, 1}));
    EXPECT_TRUE(flow.add(2));
    EXPECT_FALSE(flow.add(3));
}

TEST(ARoundOfFlows, LetsWormholesPassHosts) {
    Machine line = test::machine("line:3");
    RoundFlow links(line);
    links.restart(knows(line, {0}));
    EXPECT_FALSE(links.add(2));
    line.switching = Switching::wormhole;
    RoundFlow paths(line);
    paths.restart(knows(line, {0}));
    ASSERT_TRUE(paths.add(2));
    EXPECT_EQ(paths.calls(1).front().route.size(), 2U);
}

Machine machine_of_switched(const oracle::Row& row) {
    Machine machine = test::machine(row["topology"]);
    machine.ports = port_limit_of(row["ports"]).value();
    machine.switching = row["switching"] == "WH" ? Switching::wormhole : Switching::store_and_forward;
    machine.combining = row["combining"] == "yes";
    const std::string limit = row["options"];
    if (!limit.empty()) machine.switch_limit = static_cast<Port>(std::stoul(limit.substr(limit.rfind(' ') + 1)));
    return machine;
}

/// Planned with routes of their own, so that no message waits: the rounds are those of the plan.
TEST(PlansThroughSwitches, KeepTheRulesAndTakeTheRoundsOfTheReference) {
    int rows = 0;
    int met = 0;
    for (const oracle::Row& row : oracle::table("switched")) {
        const std::optional<Operation> operation = row["operation"] == "broadcast" ? std::optional(Operation::broadcast)
                                                   : row["operation"] == "reduce"  ? std::optional(Operation::reduce)
                                                   : row["operation"] == "scatter" ? std::optional(Operation::scatter)
                                                   : row["operation"] == "gather"  ? std::optional(Operation::gather)
                                                                                   : std::nullopt;
        if (!operation || !row.has("rounds_minimum")) continue;
        const Machine machine = machine_of_switched(row);
        const bool is_flow =
            !machine.combining && (*operation == Operation::scatter || *operation == Operation::gather);
        const Algorithm* algorithm = find_algorithm(*operation, is_flow ? "flow" : "layered");
        const Collective collective = Collective::of(*operation, row.number("source"), 8);
        Machine strict = machine;
        strict.policy = Policy::strict;
        const Verdict verdict = run_algorithm(*algorithm, strict, collective, {}, {}, {}).verdict;
        EXPECT_TRUE(verdict.lawful()) << row.place();
        EXPECT_GE(verdict.metrics.rounds, row.number("rounds_minimum")) << row.place();
        if (is_flow) {
            EXPECT_EQ(verdict.metrics.rounds, row.number("rounds_minimum")) << row.place();
        }
        ++rows;
        met += verdict.metrics.rounds == row.number("rounds_minimum") ? 1 : 0;
    }
    EXPECT_GT(rows, 20);
    EXPECT_GE(met, rows - 3) << "plans of few rounds need not be the shortest";
}

Machine with_slow(const std::string& spec, const std::string& parts) {
    Machine machine = test::machine(spec);
    machine.costs = {1, 1, 0};
    machine.prices = std::make_shared<const LinkPrices>(PriceSources{"", "", {parts}}, *machine.topology);
    return machine;
}

double latency_of(const Operation& operation, const Machine& machine) {
    const Algorithm* layered = find_algorithm(operation, "layered");
    const Verdict verdict = run_algorithm(*layered, machine, Collective::of(operation, 0, 8), {}, {}, {}).verdict;
    EXPECT_TRUE(verdict.lawful());
    return verdict.metrics.latency;
}

TEST(PlansByPrice, GoAroundDearLinks) {
    const Machine ring = with_slow("ring:6", "0--1=50");
    for (const Operation& operation : {Operation::broadcast, Operation::reduce, Operation::scatter, Operation::gather})
        EXPECT_EQ(latency_of(operation, ring), 5 * 2.0) << "five rounds around instead of one of 51";
    EXPECT_EQ(latency_of(Operation::broadcast, with_slow("ring:6", "0--1=2")), 7.0) << "the detour would cost more";
    EXPECT_EQ(latency_of(Operation::broadcast, with_slow("complete:8", "7=9")), 2 + 2 + 10.0)
        << "one dear round for the dear node";
}

}  // namespace
}  // namespace kport
