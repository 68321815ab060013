/// @file coloured_exchange_test.cpp   Links by colours, and the exchanges planned across them (model.md section 7).
#include <algorithm>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "algorithms/support/coloured_exchange.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

TEST(ColouredLinks, GiveEachLinkTheLeastColourFreeAtBothEnds) {
    for (const char* spec : {"line:7", "ring:9", "hypercube:4", "complete:9", "petersen", "cbt:3", "star:8", "mesh:3x4",
                             "random-connected:18,30,2"}) {
        const auto topology = make_topology(spec);
        const auto by_colour = coloured_links(*topology);
        std::set<std::pair<NodeId, std::size_t>> used;
        std::uint64_t links = 0;
        for (std::size_t colour = 0; colour < by_colour.size(); ++colour)
            for (const ColouredLink& link : by_colour[colour]) {
                ++links;
                EXPECT_LT(link.low, link.high);
                EXPECT_EQ(topology->across(link.low, link.of_low).node, link.high);
                EXPECT_EQ(topology->across(link.high, link.of_high).node, link.low);
                EXPECT_TRUE(used.insert({link.low, colour}).second) << spec;
                EXPECT_TRUE(used.insert({link.high, colour}).second) << spec;
            }
        EXPECT_EQ(2 * links, topology->channels());
        // No smaller colour was free when the links before it, in the order of their ends, had theirs.
        for (std::size_t colour = 0; colour < by_colour.size(); ++colour)
            for (const ColouredLink& link : by_colour[colour])
                for (std::size_t less = 0; less < colour; ++less)
                    EXPECT_TRUE(std::ranges::any_of(by_colour[less], [&](const ColouredLink& other) {
                        const bool adjoins = other.low == link.low || other.low == link.high ||
                                             other.high == link.low || other.high == link.high;
                        return adjoins && std::pair(other.low, other.high) < std::pair(link.low, link.high);
                    })) << spec;
    }
}

TEST(ColouredExchange, CostsOnEvenRingsWhatItsPlanCounts) {
    for (const std::uint64_t nodes : {4U, 6U, 10U, 16U, 34U}) {
        const Machine machine = test::machine("ring:" + std::to_string(nodes));
        for (const Operation& operation : {Operation::allgather, Operation::alltoall}) {
            const auto plan = operation == Operation::allgather ? planned_allgather : planned_alltoall;
            const std::uint64_t volume = operation == Operation::allgather ? nodes - 1 : nodes / 2 * (nodes / 2);
            const Collective collective{operation, 0, 8};
            const auto costs = [&](double blocks) {
                const ExpectedCost cost = expect_coloured_exchange(plan, {0, blocks}, volume, machine, collective);
                return std::tuple(cost.rounds, cost.work, cost.path_sum, cost.volume);
            };
            constexpr double too_large_to_be_counted = 1e18;
            EXPECT_EQ(costs(too_large_to_be_counted), costs(0)) << nodes << " nodes";
        }
    }
}

/// Admission asks before anything is planned: never for less than the plan has, nor for much more.
TEST(ColouredExchange, KnowsTheSizeOfItsPlanBeforeItPlans) {
    for (const char* spec :
         {"ring:64", "line:50", "torus:12x12", "mesh:10x16", "mesh:16x10", "torus:5x5x5", "hypercube:7",
          "random-regular:3,200,1", "random-tree:150,1", "complete:60", "star:80", "cbt:6", "wheel:70", "debruijn:2,7",
          "torus:24x24", "mesh:20x30", "petersen", "complete:1"})
        for (const bool of_pairs : {false, true}) {
            const auto topology = make_topology(spec);
            const Schedule plan = (of_pairs ? planned_alltoall : planned_allgather)(*topology, 1);
            double blocks = 0;
            for (std::size_t i = 0; i < plan.size(); ++i)
                blocks += static_cast<double>(plan.transfer(i).packets.size());
            const PlanSize size = size_of_coloured_exchange(*topology, of_pairs);
            EXPECT_GE(size.messages, 0.95 * static_cast<double>(plan.size())) << spec;
            EXPECT_GE(size.blocks, blocks) << spec;
            if (of_pairs) {
                EXPECT_LE(size.blocks, 1.6 * blocks) << spec;
            }
        }
}

// On these graphs the colours find the least rounds that a search found (the page of coloured-exchange).
TEST(ColouredExchange, TakesTheFewestRoundsWhereTheColoursSuit) {
    const auto rounds = [](const Operation& operation, const char* spec) {
        Machine machine = test::machine(spec);
        machine.pairwise = true;
        const Collective collective{operation, 0, 8};
        const Algorithm& algorithm = algorithm_named("coloured-exchange", machine, collective, {});
        const Verdict verdict = run_algorithm(algorithm, machine, collective, {}, Payload{}, {}).verdict;
        EXPECT_TRUE(verdict.lawful()) << spec;
        return verdict.metrics.rounds;
    };
    for (const Operation& operation : {Operation::allgather, Operation::alltoall}) {
        EXPECT_EQ(rounds(operation, "hypercube:5"), 5U);
        EXPECT_EQ(rounds(operation, "ring:12"), 6U);
        EXPECT_EQ(rounds(operation, "line:9"), 9U);
        EXPECT_EQ(rounds(operation, "ccc:3"), 7U);
        EXPECT_EQ(rounds(operation, "star-graph:4"), 6U);
        EXPECT_EQ(rounds(operation, "petersen"), 5U);
        EXPECT_EQ(rounds(operation, "torus:4x4"), 4U);
    }
}

}  // namespace
}  // namespace kport
