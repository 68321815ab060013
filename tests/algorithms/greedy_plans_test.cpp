/// @file greedy_plans_test.cpp   Plans for any graph: lawful and delivered under every rule of the machine.
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "algorithms/bounds/bounds.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/base/random.hpp"
#include "emulator/topology/stored_graph.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

const std::vector<std::pair<const char*, const char*>> greedy_rows = {
    {"allgather", "greedy-gossip"}, {"reduce-scatter", "greedy-gossip"},
    {"alltoall", "greedy-gossip"},  {"barrier", "greedy-gossip"},
    {"allreduce", "greedy-gossip"}, {"scan", "greedy-gossip"},
    {"alltoall", "greedy-routes"},  {"scatter", "layered"},
    {"gather", "layered"},          {"scatter", "greedy-routes"},
    {"gather", "greedy-routes"}};

Machine random_machine(Dice& dice) {
    const NodeId nodes = dice.between(2, 12);
    Machine machine;
    machine.topology = test::random_graph(dice, nodes, 2 * nodes);
    const PortLimit limits[] = {PortLimit(1), PortLimit(2), PortLimit::all()};
    machine.ports = limits[dice.below(3)];
    machine.duplex = dice.happens(0.3) ? Duplex::half : Duplex::full;
    machine.links = dice.happens(0.3) ? Duplex::half : Duplex::full;
    machine.pairwise = dice.happens(0.3);
    machine.combining = dice.happens(0.6);
    machine.switching = dice.happens(0.2) ? Switching::wormhole : Switching::store_and_forward;
    return machine;
}

TEST(GreedyPlans, AreLawfulAndDeliverOnRandomMachinesUnderEveryRule) {
    Dice dice(11);
    std::set<std::string> seen;
    for (int i = 0; i < (test::under_sanitizer ? 50 : 150); ++i) {
        const Machine machine = random_machine(dice);
        for (const auto& [operation, name] : greedy_rows) {
            const Algorithm* row = find_algorithm(operation_named(operation), name);
            ASSERT_NE(row, nullptr) << operation << ' ' << name;
            Collective collective = Collective::of(row->operation, 0, 8);
            if (!collective.signals()) collective.packets_each = dice.between(1, 3);
            if (misfit_of(*row, machine, collective, {})) continue;
            const RunResult run = run_algorithm(*row, machine, collective, {}, {}, {});
            const std::string told = fmt::format("{} {}, {} packets each, on {}, {}", operation, name,
                                                 collective.packets_each, machine.topology->spec(), machine.describe());
            EXPECT_TRUE(run.verdict.lawful() && run.verdict.delivered) << told;
            const ExpectedCost cost = expected_cost(*row, machine, collective, {});
            EXPECT_EQ(cost.rounds.value_or(run.verdict.metrics.rounds), run.verdict.metrics.rounds) << told;
            seen.insert(fmt::format("{} {}{}", operation, name, machine.combining ? "" : ", one packet a message"));
        }
    }
    // Nine with combining; without it not alltoall greedy-gossip, scan and layered, but scatter and gather by routes.
    EXPECT_EQ(seen.size(), 16U);
}

/// A root sends a packet a round, which is the least (Lemma 7 with one packet a message).
TEST(GreedyPlans, OfAScatterKeepTheRootsPortBusyUnderEveryRule) {
    for (const char* spec : {"mesh:5x6", "debruijn:2,5", "cbt:4", "petersen"})
        for (const int rule : {0, 1, 2, 3}) {
            Machine machine;
            machine.topology = make_topology(spec);
            machine.ports = PortLimit(rule == 3 ? 2 : 1);
            machine.combining = false;
            machine.pairwise = rule == 1 || rule == 3;
            if (rule == 2) machine.duplex = Duplex::half;
            for (const Operation& operation : {Operation::scatter, Operation::gather}) {
                const Collective collective = Collective::of(operation, 0, 8);
                const Algorithm* row = find_algorithm(operation, "greedy-routes");
                const RunResult run = run_algorithm(*row, machine, collective, {}, {}, {});
                const std::uint64_t bound = machine.topology->nodes() - 1;
                EXPECT_EQ(run.verdict.metrics.rounds, bound) << spec << ", rule " << rule;
                EXPECT_EQ(lower_bounds(machine, collective)[Quantity::rounds].largest(), bound);
            }
        }
}

/// The least rounds: hypercube:3 and ring:8 by counting hops, mesh:2x4 by weights of sends (docs/search.md).
TEST(GreedyPlans, OfRoutesMeetTheBoundWhereOneOrderOfPacketsDoesNot) {
    struct Case {
        const char* spec;
        PortLimit ports;
        std::uint64_t rounds;
    };
    for (const Case& c : {Case{"hypercube:3", PortLimit(1), 12}, Case{"ring:8", PortLimit::all(), 8},
                          Case{"mesh:2x4", PortLimit(1), 16}}) {
        Machine machine;
        machine.topology = make_topology(c.spec);
        machine.ports = c.ports;
        machine.combining = false;
        const Algorithm* row = find_algorithm(Operation::alltoall, "greedy-routes");
        const RunResult run = run_algorithm(*row, machine, Collective::of(row->operation, 0, 8), {}, {}, {});
        EXPECT_EQ(run.verdict.metrics.rounds, c.rounds) << c.spec;
    }
}

/// Values that block each other end a try; then a tree serves.
TEST(GreedyPlans, OfValuesComeToAnEndOnEveryGraphOfUpToFiveNodes) {
    const Algorithm* row = find_algorithm(Operation::allreduce, "greedy-gossip");
    for (unsigned links = 0; links < 1U << 10U; ++links) {
        std::vector<StoredGraph::Link> all;
        unsigned bit = 0;
        for (std::uint32_t a = 0; a < 5; ++a)
            for (std::uint32_t b = a + 1; b < 5; ++b, ++bit)
                if ((links >> bit & 1) != 0) all.push_back({a, b});
        unsigned reached = 1;
        for (int step = 0; step < 5; ++step)
            for (const auto& [a, b] : all)
                if ((reached >> a & 1) != 0 || (reached >> b & 1) != 0) reached |= 1U << a | 1U << b;
        if (reached != 31) continue;
        const auto graph = std::make_shared<StoredGraph>(fmt::format("links {}", links), 5, all);
        Machine machine;
        machine.topology = graph;
        const RunResult run = run_algorithm(*row, machine, Collective::of(row->operation, 0, 8), {}, {}, {});
        EXPECT_TRUE(run.verdict.lawful() && run.verdict.delivered) << graph->spec();
    }
}

}  // namespace
}  // namespace kport
