#include <gtest/gtest.h>

#include <string>

#include "algorithms/catalogue.hpp"
#include "algorithms/run_algorithm.hpp"
#include "app/search/least_cost.hpp"
#include "app/search/solver.hpp"
#include "tests/search/problems.hpp"

namespace kport::search {
namespace {

using oracle::Row;

const Algorithm& exact(const Operation& operation) {
    [[maybe_unused]] static const bool known = (know_exact(), true);
    return *find_algorithm(operation, "exact");
}

/// The rows of one source whose search takes a moment.
bool is_quick(const Row& row) {
    return row["operation"] == "broadcast" && row["sources"].find(' ') == std::string::npos &&
           row.number("nodes") <= 48;
}

void expect_rounds_of(const Row& row, const Operation& operation, EngineKind engine, std::uint64_t packets) {
    const Problem problem = problem_in(row);
    Machine machine;
    machine.topology = problem.topology;
    machine.ports = problem.ports;
    Collective collective(operation, problem.sources.front(), 8);
    collective.packets_each = packets;
    RunOptions options;
    options.engine = engine;
    options.threads = 2;
    const Algorithm& algorithm = exact(operation);
    ASSERT_EQ(misfit_of(algorithm, machine, collective, {}), std::nullopt) << told(row);
    const RunResult run = run_algorithm(algorithm, machine, collective, {}, Payload{}, options);
    EXPECT_TRUE(run.verdict.lawful()) << told(row);
    EXPECT_EQ(run.verdict.metrics.rounds, row.number("rounds_minimum")) << told(row);
    EXPECT_EQ(run.verdict.metrics.work, row.number("nodes") - 1) << told(row);
    EXPECT_EQ(run.verdict.holders, run.verdict.promised) << told(row);
}

TEST(ExactAlgorithm, RunsInTheFewestRoundsOfTheReference) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    int rows = 0;
    for (const Row& row : oracle::table("exact")) {
        if (!is_quick(row)) continue;
        expect_rounds_of(row, Operation::broadcast, EngineKind::lockstep, 1);
        if (++rows % 8 != 0) continue;
        expect_rounds_of(row, Operation::broadcast, EngineKind::free, 1);
        expect_rounds_of(row, Operation::broadcast, EngineKind::lockstep, 3);
        expect_rounds_of(row, Operation::reduce, EngineKind::lockstep, 1);
    }
    EXPECT_GT(rows, 100);
}

TEST(ExactAlgorithm, KeepsToTheSendsOfEachNode) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    Machine machine;
    machine.topology = make_topology("complete:5");
    machine.node_ports = std::make_shared<const NodePorts>(
        NodePorts{"ports", {PortLimit(2, 1), PortLimit(1), PortLimit(1), PortLimit(1), PortLimit(1)}});
    const Verdict verdict =
        run_algorithm(exact(Operation::broadcast), machine, Collective::broadcast(0, 64), {}, {}, {}).verdict;
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.metrics.rounds, 2U) << "1, 3, then all; with one port 3";
}

TEST(ExactAlgorithm, SaysInAdvanceWhatHeuristicsAlreadyProve) {
    Machine machine;
    machine.topology = make_topology("petersen");
    const ExpectedCost known = exact(Operation::broadcast).expect(machine, Collective::broadcast(0, 8), {});
    EXPECT_EQ(known.rounds, 4U);
    machine.topology = make_topology("debruijn:2,4");
    const ExpectedCost open = exact(Operation::broadcast).expect(machine, Collective::broadcast(0, 8), {});
    EXPECT_EQ(open.work, 15U);
}

TEST(ExactAlgorithm, IsForNoMoreNodesThanASearchCanDecide) {
    Machine machine;
    machine.topology = make_topology("hypercube:13");
    EXPECT_EQ(misfit_of(exact(Operation::broadcast), machine, Collective::broadcast(0, 8), {}),
              "is searched for on at most 4096 nodes");
}

TEST(ExactAlgorithm, IsChosenByNameAlone) {
    EXPECT_FALSE(exact(Operation::broadcast).by_default);
    EXPECT_FALSE(exact(Operation::reduce).by_default);
    EXPECT_NE(exact(Operation::broadcast).slow, "");
}

TEST(ExactAlgorithm, CountsThatOneOfAnOddNumberOfNodesHasNoPartner) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    Machine machine;
    machine.topology = make_topology("torus:1x3");
    machine.ports = PortLimit(1);
    machine.pairwise = true;
    machine.combining = false;
    Collective collective(Operation::allgather, 0, 8);
    collective.packets_each = 4;
    const RunResult run = run_algorithm(exact(Operation::allgather), machine, collective, {}, Payload{}, {});
    EXPECT_TRUE(run.verdict.lawful());
    EXPECT_EQ(run.verdict.metrics.rounds, 12U) << "24 packets come, one each way a round";
}

TEST(ExactAlgorithm, FoldsTextsOfAnyLength) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    Machine machine;
    machine.topology = make_topology("ring:4");
    AlgorithmOptions options;
    options.reduction.op = Operator::concat;
    options.reduction.type = ElementType::text;
    const Collective collective(Operation::scan, 0, 3);
    const RunResult run = run_algorithm(exact(Operation::scan), machine, collective, options, Payload{}, {});
    EXPECT_TRUE(run.verdict.lawful());
}

}  // namespace
}  // namespace kport::search
