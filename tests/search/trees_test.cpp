#include "algorithms/planning/heuristics.hpp"

#include <gtest/gtest.h>

#include "app/search/problem.hpp"
#include "tests/search/problems.hpp"

namespace kport::search {
namespace {

const Stop go_on = [] { return false; };

/// The fewest rounds by the exhaustive search.
Round exhaustive(const Graph& graph, Node32 source, Port ports) {
    Calls calls;
    for (Round rounds = 0;; ++rounds)
        if (search_exhaustively(graph, {&source, 1}, ports, rounds, go_on, calls) == Answer::yes) return rounds;
}

TEST(RoundsWithChildren, ServeTheOneThatNeedsTheMostFirst) {
    const std::vector<std::uint32_t> below = {3, 3, 1, 0};
    EXPECT_EQ(planning::rounds_with_children(below, 1), 5U);  // 1 + 3, 2 + 3, 3 + 1, 4 + 0
    EXPECT_EQ(planning::rounds_with_children(below, 2), 4U);  // 1 + 3, 1 + 3, 2 + 1, 2 + 0
    EXPECT_EQ(planning::rounds_with_children({}, 1), 0U);
}

TEST(RoundsInTree, OfALineAreTheFartherEndAndOneMoreInItsMiddle) {
    EXPECT_EQ(rounds_in_tree(Graph(*make_topology("line:5")), 1), (std::vector<std::uint32_t>{4, 3, 3, 3, 4}));
    EXPECT_EQ(rounds_in_tree(Graph(*make_topology("line:5")), 2), (std::vector<std::uint32_t>{4, 3, 2, 3, 4}));
}

RC_GTEST_PROP(RoundsInTree, AreTheFewestFromEveryNode, ()) {
    const auto tree = any_graph(10, true);
    const Port ports = *rc::gen::inRange<Port>(1, 4);
    const Graph graph(*tree);
    RC_ASSERT(graph.is_tree());
    const std::vector<std::uint32_t> rounds = rounds_in_tree(graph, ports);
    for (Node32 v = 0; v < graph.nodes(); ++v) RC_ASSERT(rounds[v] == exhaustive(graph, v, ports));
}

RC_GTEST_PROP(CallsAlongATree, TakeItsRounds, ()) {
    const Graph graph(*any_graph(40, true));
    const Port ports = *rc::gen::inRange<Port>(1, 4);
    const Node32 source = *rc::gen::inRange<Node32>(0, graph.nodes());
    const std::vector<std::uint32_t> distance = graph.distances({&source, 1});
    RC_ASSERT(rounds_of(along(graph, distance, lowest_parents(graph, distance), ports)) ==
              rounds_in_tree(graph, ports)[source]);
}

}  // namespace
}  // namespace kport::search
