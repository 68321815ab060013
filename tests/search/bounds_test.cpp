#include "app/search/question.hpp"

#include <gtest/gtest.h>

#include "algorithms/bounds/counting.hpp"
#include "app/search/problem.hpp"
#include "app/search/search.hpp"
#include "tests/search/problems.hpp"

namespace kport::search {
namespace {

TEST(LowerBounds, AreNeverAboveTheReferencesMinimum) {
    for (const oracle::Row& row : oracle::table("exact")) {
        const Problem problem = problem_in(row);
        for (const Argument& argument : lower_bounds_of(problem, Graph(*problem.topology)))
            EXPECT_LE(argument.value, static_cast<double>(row.number("rounds_minimum"))) << told(row) << argument.name;
    }
}

TEST(LowerBounds, AreTheReferences) {
    for (const oracle::Row& row : oracle::table("exact")) {
        if (!row.has("bound_rounds")) continue;
        const Problem problem = problem_in(row);
        EXPECT_EQ(bound_of(lower_bounds_of(problem, Graph(*problem.topology))), row.number("bound_rounds"))
            << told(row);
    }
}

RC_GTEST_PROP(LowerBounds, AreNeverAboveTheExhaustiveMinimum, ()) {
    const Problem problem = any_broadcast(8);
    SearchOptions without;
    without.solver = false;
    const Found found = fewest_rounds(problem, without);
    for (const Argument& argument : found.bounds) RC_ASSERT(argument.value <= found.most);
}

TEST(Chains, ThroughOnePortOfANodeOfDegreeThreeAreFibonacciNumbers) {
    bounds::Chains chains({3}, 3, 1, 1000);
    // New nodes by round: the source sends 3 times, every other node twice, in the two rounds after its receipt.
    const std::vector<std::uint64_t> informed = {1, 1 + 2, 3 + 4};  // the source is not counted
    for (const std::uint64_t expected : informed) {
        chains.advance();
        EXPECT_EQ(chains.reached(1), expected);
    }
    chains.advance();  // the source is done: those of the last two rounds send, 2 and 4
    EXPECT_EQ(chains.reached(1), 7U + 6);
    EXPECT_EQ(chains.reached(4), 1U);  // one after the other
}

TEST(Chains, ThroughManyPortsAreTheDegreesToThePower) {
    bounds::Chains chains({4}, 4, 4, 1000);
    chains.advance();
    EXPECT_EQ(chains.reached(1), 4U);
    chains.advance();
    EXPECT_EQ(chains.reached(2), 12U);
    EXPECT_EQ(chains.reached(1), 16U);
}

TEST(Chains, ReachTwoNodesAtADistanceOneRoundLater) {
    bounds::Chains chains({2}, 2, 1, 5);
    const std::vector<std::uint64_t> far = {4, 4, 2};  // the middle of a line of five
    while (!chains.reach(far)) chains.advance();
    EXPECT_EQ(chains.rounds(), 3U);
}

TEST(RoundsByDegrees, LetTheNodesOfHighestDegreeLearnFirst) {
    // A star from its centre: only the centre can send, in every round.
    EXPECT_EQ(bounds::rounds_by_degrees(std::vector<std::uint64_t>{5}, {0, 5}, 1), 5U);
    EXPECT_EQ(bounds::rounds_by_degrees(std::vector<std::uint64_t>{5}, {0, 5}, 2), 3U);
    // From a leaf: the middle first.
    EXPECT_EQ(bounds::rounds_by_degrees(std::vector<std::uint64_t>{1}, {0, 4, 0, 0, 0, 1}, 1), 5U);
}

}  // namespace
}  // namespace kport::search
