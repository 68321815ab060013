#include "app/search/symmetry.hpp"

#include <gtest/gtest.h>

#include "app/search/formula.hpp"
#include "tests/search/problems.hpp"

namespace kport::search {
namespace {

std::size_t kinds_of_neighbours(const char* topology, std::vector<Node32> fixed) {
    const Graph graph(*make_topology(topology));
    const auto near = graph.neighbours(fixed.front());
    return Symmetry(graph).kinds(fixed, std::vector<Node32>(near.begin(), near.end())).size();
}

TEST(Symmetry, TakesNeighboursToEachOtherWhereTheGraphDoes) {
    EXPECT_EQ(kinds_of_neighbours("hypercube:5", {0}), 1U);
    EXPECT_EQ(kinds_of_neighbours("petersen", {3}), 1U);
    EXPECT_EQ(kinds_of_neighbours("torus:5x5", {0}), 1U);
    EXPECT_EQ(kinds_of_neighbours("torus:5x7", {0}), 2U);
    EXPECT_EQ(kinds_of_neighbours("star-graph:5", {0}), 1U);
}

TEST(Symmetry, KeepsNeighboursApartThatNoAutomorphismTakesToEachOther) {
    EXPECT_EQ(kinds_of_neighbours("mesh:3x4", {0}), 2U);
    EXPECT_EQ(kinds_of_neighbours("line:4", {1}), 2U);
    EXPECT_EQ(kinds_of_neighbours("torus:5x5", {0, 1}), 3U);  // node 1, the one opposite, those across
}

TEST(FirstSends, OfAHypercubeAreAllImagesOfOneOrder) {
    const std::vector<FirstSends> orders = first_sends(Graph(*make_topology("hypercube:4")), 0);
    ASSERT_EQ(orders.size(), 3U);
    EXPECT_EQ(orders[0].so_far.size(), 0U);
    EXPECT_EQ(orders[0].not_next.size(), 3U);
    EXPECT_EQ(orders[2].so_far.size(), 2U);
    EXPECT_EQ(orders[2].not_next.size(), 1U);
}

}  // namespace
}  // namespace kport::search
