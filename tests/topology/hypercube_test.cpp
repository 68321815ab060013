#include "emulator/topology/hypercube.hpp"

#include <gtest/gtest.h>

#include "emulator/base/error.hpp"

namespace kport {
namespace {

TEST(Hypercube, FlipsBitDAcrossPortD) {
    const Hypercube cube(5);
    for (NodeId v = 0; v < cube.nodes(); ++v)
        for (int d = 0; d < cube.dimensions(); ++d) {
            const NodeId w = v ^ (NodeId{1} << d);
            EXPECT_EQ(cube.across(v, cube.port(d)), (LinkEnd{w, cube.port(d)}));
            EXPECT_EQ(cube.neighbour(v, d), w);
            EXPECT_EQ(cube.dimension_of(cube.port_to(v, w)), d);
        }
}

TEST(Hypercube, RoutesByTheLowestDifferingDimensionFirst) {
    const Hypercube cube(4);
    EXPECT_EQ(cube.route(0b0000, 0b1010), cube.port(1));
    EXPECT_EQ(cube.route(0b0010, 0b1010), cube.port(3));
}

TEST(Hypercube, OfDimensionZeroIsOneNode) {
    const Hypercube cube(0);
    EXPECT_EQ(cube.nodes(), 1U);
    EXPECT_EQ(cube.ports(), 0U);
    EXPECT_EQ(cube.distance_profile(0), std::vector<std::uint64_t>{1});
}

TEST(Hypercube, AnswersForTwoToTheForty) {
    const Hypercube cube(40);
    const NodeId last = cube.nodes() - 1;
    EXPECT_EQ(cube.nodes(), 1099511627776U);
    EXPECT_EQ(cube.channels(), 43980465111040U);
    EXPECT_EQ(cube.across(last, 39), (LinkEnd{last ^ (NodeId{1} << 39), 39}));
    EXPECT_EQ(cube.distance(0, last), 40U);
    EXPECT_EQ(cube.sum_of_distances(last), 20U * cube.nodes());
    EXPECT_EQ(cube.distance_profile(last)[20], 137846528820U);  // C(40,20)
    EXPECT_EQ(cube.Topology::sum_of_distances(last), 20U * cube.nodes());
}

TEST(Hypercube, RefusesMoreThanFortyDimensions) {
    EXPECT_THROW(Hypercube(41), RequestError);
    EXPECT_THROW(Hypercube(std::uint64_t{1} << 32), RequestError);
}

}  // namespace
}  // namespace kport
