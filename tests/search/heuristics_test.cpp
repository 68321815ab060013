#include "algorithms/planning/heuristics.hpp"

#include <gtest/gtest.h>

#include "algorithms/planning/gossip.hpp"
#include "app/search/problem.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "tests/search/problems.hpp"

namespace kport::search {
namespace {

const Stop carry_on = [] { return false; };

struct Plan {
    const char* name;
    Calls calls;
};

std::vector<Plan> plans_of(const Problem& problem) {
    const Graph graph(*problem.topology);
    const std::vector<Node32> sources(problem.sources.begin(), problem.sources.end());
    const Port ports = problem.widest();
    return {{"farthest-first", farthest_first(graph, sources, ports)},
            {"best tree", best_tree(graph, sources, ports)},
            {"layered", layered(graph, sources, ports, carry_on)}};
}

Verdict judged(const Problem& problem, const Calls& calls) {
    return audit(schedule_of(problem, calls), machine_of(problem), collective_of(problem), false);
}

RC_GTEST_PROP(Heuristics, MakeLawfulBroadcasts, ()) {
    const Problem problem = any_broadcast(30);
    for (const Plan& plan : plans_of(problem)) RC_ASSERT(judged(problem, plan.calls).lawful());
}

RC_GTEST_PROP(Heuristics, MakeLawfulGossips, ()) {
    Problem problem;
    problem.topology = any_graph(20);
    problem.operation = Operation::allgather;
    problem.mode = *rc::gen::element(Mode::kport, Mode::telephone, Mode::telegraph);
    if (problem.mode == Mode::kport) problem.ports = PortLimit(*rc::gen::inRange<Port>(1, 4));
    const Graph graph(*problem.topology);
    const Node32 source = *rc::gen::inRange<Node32>(0, graph.nodes());
    const Calls broadcast = best_tree(graph, {&source, 1}, problem.widest());
    RC_ASSERT(judged(problem, there_and_back(broadcast, problem.mode)).lawful());
    const planning::Calling calling = calling_in(problem.mode, problem.widest());
    RC_ASSERT(judged(problem, planning::greedy_gossip(graph, calling, {5}, carry_on)).lawful());
}

TEST(ThereAndBack, TakesTwiceTheRoundsOfTheBroadcastButForOneThatBothShare) {
    const Node32 source = 0;
    const Calls broadcast = best_tree(Graph(*make_topology("cbt:2")), {&source, 1}, 1);
    ASSERT_EQ(rounds_of(broadcast), 4U);
    EXPECT_EQ(rounds_of(there_and_back(broadcast, Mode::telephone)), 7U);
    EXPECT_EQ(rounds_of(there_and_back(broadcast, Mode::telegraph)), 8U);
}

Round layered_rounds(const Topology& topology, NodeId source) {
    const auto from = static_cast<Node32>(source);
    return rounds_of(layered(Graph(topology), {&from, 1}, 1, carry_on));
}

TEST(Layered, TakesNoMoreRoundsThanTheReferences) {
    for (const oracle::Row& row : oracle::table("layered"))
        EXPECT_LE(layered_rounds(*make_topology(row["topology"]), row.number("source")), row.number("rounds"))
            << row.place();
}

TEST(Layered, LosesAtMostARoundOnMachinesOfUpToAHundredNodes) {
    int rows = 0;
    int exact = 0;
    for (const oracle::Row& row : oracle::table("exact")) {
        if (row["operation"] != "broadcast" || row["ports"] != "1" || row.number("nodes") > 100) continue;
        if (row["sources"].find(' ') != std::string::npos) continue;
        const Round rounds = layered_rounds(*make_topology(row["topology"]), row.number("sources"));
        EXPECT_LE(rounds, row.number("rounds_minimum") + 1) << told(row);
        EXPECT_GE(rounds, row.number("rounds_minimum")) << told(row);
        ++rows;
        exact += rounds == row.number("rounds_minimum") ? 1 : 0;
    }
    EXPECT_GE(10 * exact, 7 * rows);
}

TEST(Layered, OfTheReferencesRandomCubicGraphTakesAFewRoundsMoreThanItsBound) {
    const Problem problem = broadcast_on("random-regular:3,65536,1");
    const Graph graph(*problem.topology);
    const Node32 source = 0;
    const Calls calls = layered(graph, {&source, 1}, 1, carry_on);
    EXPECT_LE(rounds_of(calls), 24U);  // the bound of its degrees is 22
    EXPECT_TRUE(judged(problem, calls).lawful());
}

TEST(Layered, EndsWithoutCallsWhenItIsStopped) {
    const Graph graph(*make_topology("torus:5x5"));
    const Node32 source = 0;
    EXPECT_TRUE(layered(graph, {&source, 1}, 1, [] { return true; }).empty());
}

}  // namespace
}  // namespace kport::search
