#include "app/pictures/layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"

namespace kport {
namespace {

constexpr NodeId most_nodes = 24;

/// Of every family some members: all that have few nodes.
std::vector<std::string> members_of(const TopologyFamily& family) {
    std::vector<std::string> specs;
    for (NodeId nodes = 1; nodes <= most_nodes; ++nodes)
        for (const std::string& parameters : family.members(nodes)) specs.push_back(spec_of(family, parameters));
    return specs;
}

class EveryFamily : public testing::TestWithParam<std::string_view> {
  protected:
    static const TopologyFamily& family() {
        return *std::ranges::find(topology_families(), GetParam(), &TopologyFamily::name);
    }
};

TEST_P(EveryFamily, IsDrawnWithNoTwoNodesInOnePlace) {
    for (const std::string& spec : members_of(family())) {
        const Layout layout = layout_of(*make_topology(spec));
        for (std::size_t v = 0; v < layout.at.size(); ++v)
            for (std::size_t w = 0; w < v; ++w)
                ASSERT_GT(distance(layout.at[v], layout.at[w]), 0.6) << spec << ": nodes " << w << " and " << v;
    }
}

TEST_P(EveryFamily, IsDrawnFromTheCornerOn) {
    for (const std::string& spec : members_of(family())) {
        const Layout layout = layout_of(*make_topology(spec));
        for (const Point& place : layout.at) {
            ASSERT_GE(place.x, 0) << spec;
            ASSERT_GE(place.y, 0) << spec;
            ASSERT_LE(place.x, layout.corner.x) << spec;
            ASSERT_LE(place.y, layout.corner.y) << spec;
        }
    }
}

TEST_P(EveryFamily, IsDrawnTheSameEveryTime) {
    for (const std::string& spec : members_of(family()))
        ASSERT_EQ(layout_of(*make_topology(spec)).at, layout_of(*make_topology(spec)).at) << spec;
}

std::vector<std::string_view> names() {
    std::vector<std::string_view> all;
    for (const TopologyFamily& family : topology_families()) all.push_back(family.name);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Layouts, EveryFamily, testing::ValuesIn(names()), [](const auto& one) {
    std::string name(one.param);
    std::ranges::replace(name, '-', '_');
    return name;
});

TEST(Layouts, PutFamiliesWithCoordinatesWhereAMeshHasThem) {
    const std::vector<Point> mesh = layout_of(*make_topology("mesh:4x6")).at;
    for (const char* spec : {"chiplet-mesh:2x3,2x2,1", "express-mesh:4x6,2", "twisted-torus:4x6,1"})
        EXPECT_EQ(layout_of(*make_topology(spec)).at, mesh) << spec;
}

TEST(Layouts, PutTheCoordinatesOfAMeshInRowsAndColumns) {
    const Layout layout = layout_of(*make_topology("mesh:2x3"));
    EXPECT_DOUBLE_EQ(layout.at[0].y, layout.at[2].y);
    EXPECT_DOUBLE_EQ(layout.at[0].x, layout.at[3].x);
    EXPECT_LT(layout.at[0].x, layout.at[1].x);
    EXPECT_LT(layout.at[0].y, layout.at[3].y);
}

TEST(Layouts, PutATreeLevelByLevelWithParentsAboveTheMiddleOfTheirChildren) {
    const Layout layout = layout_of(*make_topology("cbt:3"));
    for (NodeId v = 0; v < 7; ++v) {
        EXPECT_DOUBLE_EQ(layout.at[v].x, (layout.at[2 * v + 1].x + layout.at[2 * v + 2].x) / 2);
        EXPECT_DOUBLE_EQ(layout.at[2 * v + 1].y, layout.at[2 * v + 2].y);
        EXPECT_LT(layout.at[v].y, layout.at[2 * v + 1].y);
    }
}

TEST(Layouts, DrawEachDimensionOfACubeTheSameWayEverywhere) {
    const Layout layout = layout_of(*make_topology("hypercube:7"));
    for (unsigned d = 0; d < 7; ++d)
        for (NodeId v = 0; v < 128; ++v)
            if ((v >> d & 1U) == 0) {
                const NodeId w = v | NodeId{1} << d;
                EXPECT_NEAR(layout.at[w].x - layout.at[v].x, layout.at[NodeId{1} << d].x - layout.at[0].x, 1e-9);
                EXPECT_NEAR(layout.at[w].y - layout.at[v].y, layout.at[NodeId{1} << d].y - layout.at[0].y, 1e-9);
            }
}

TEST(Layouts, DrawFourDimensionsAsACubeInACubeAndMoreAsSeveralOfThese) {
    const Layout four = layout_of(*make_topology("hypercube:4"));
    for (NodeId v = 0; v < 8; ++v)
        for (NodeId w = 0; w < v; ++w)
            EXPECT_NEAR(distance(four.at[v], four.at[w]), 3.6 * distance(four.at[v + 8], four.at[w + 8]), 1e-9);
    const Layout six = layout_of(*make_topology("hypercube:6"));
    for (NodeId v = 0; v < 64; ++v) {
        EXPECT_NEAR(six.at[v].x - six.at[v & 15U].x, (v & 16U) != 0 ? six.at[16].x - six.at[0].x : 0, 1e-9);
        EXPECT_NEAR(six.at[v].y - six.at[v & 15U].y, (v & 32U) != 0 ? six.at[32].y - six.at[0].y : 0, 1e-9);
    }
}

TEST(Layouts, DrawLargeCubesInRowsInWhichNeighboursDifferInOneBit) {
    const Layout layout = layout_of(*make_topology("hypercube:9"));
    const auto number_at = [&](double x, double y) {
        return std::ranges::find(layout.at, Point{1.2 * x, 1.2 * y}) - layout.at.begin();
    };
    for (int x = 0; x + 1 < 32; ++x)
        EXPECT_EQ(std::popcount(static_cast<unsigned>(number_at(x, 3) ^ number_at(x + 1, 3))), 1) << x;
}

TEST(Layouts, RefuseMachinesWithTooManyNodesToSee) {
    EXPECT_THROW((void)layout_of(*make_topology("hypercube:30")), DoesNotFit);
}

/// The links of a topology that would pass over a node where they are straight: "0-3 ".
std::string bowed_in(const std::string& spec) {
    const auto topology = make_topology(spec);
    const Layout layout = layout_of(*topology);
    const NodesInTheWay in_the_way(layout.at, 0.27);
    std::string pairs;
    for (NodeId v = 0; v < topology->nodes(); ++v)
        for (NodeId w = v + 1; w < topology->nodes(); ++w)
            if (topology->distance(v, w) == 1 && in_the_way.between(v, w)) pairs += fmt::format("{}-{} ", v, w);
    return pairs;
}

TEST(NodesInTheWay, AreThoseOfTheWrapsOfATorus) {
    EXPECT_EQ(bowed_in("torus:3x4"), "0-3 0-8 1-9 2-10 3-11 4-7 8-11 ");
    EXPECT_EQ(bowed_in("mesh:3x4"), "");
    EXPECT_EQ(bowed_in("ring:7"), "");
    EXPECT_EQ(bowed_in("complete:9"), "");
}

/// By halving, as the distance from the points of a line falls and then rises.
double least_distance(const Point& p, const Point& a, const Point& b) {
    double low = 0;
    double high = 1;
    const auto off = [&](double t) { return distance(p, {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}); };
    for (int i = 0; i < 80; ++i) {
        const double third = (high - low) / 3;
        if (off(low + third) < off(high - third))
            high -= third;
        else
            low += third;
    }
    return off(low);
}

TEST(NodesInTheWay, AreThoseThatALookAtAllNodesFinds) {
    constexpr double clearance = 0.4;
    for (const char* spec : {"torus:7x6x2", "hypercube:6", "wheel:30", "cbt:5"}) {
        const std::vector<Point> at = layout_of(*make_topology(spec)).at;
        const NodesInTheWay in_the_way(at, clearance);
        for (NodeId v = 0; v < at.size(); ++v)
            for (NodeId w = 0; w < v; ++w) {
                double nearest = 2 * clearance;
                for (NodeId u = 0; u < at.size(); ++u)
                    if (u != v && u != w) nearest = std::min(nearest, least_distance(at[u], at[v], at[w]));
                if (std::abs(nearest - clearance) < 1e-6) continue;
                ASSERT_EQ(in_the_way.between(v, w), nearest < clearance) << spec << ": " << v << " and " << w;
            }
    }
}

/// A circle whose specification has numbers that need not fit its nodes.
class OddRing final : public RegularTopology {
  public:
    OddRing(const std::string& spec, NodeId nodes) : RegularTopology(spec, nodes, 2) {}
    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        return {(v + (p == 0 ? nodes() - 1 : 1)) % nodes(), 1 - p};
    }
};

constexpr std::array every_kind = {DrawnAs::computed,  DrawnAs::circle,         DrawnAs::hub,   DrawnAs::grid,
                                   DrawnAs::cube,      DrawnAs::levels,         DrawnAs::ranks, DrawnAs::two_rows,
                                   DrawnAs::two_rings, DrawnAs::cube_of_cycles, DrawnAs::groups};

/// The family that is drawn as the kind says: "odd-grid:NODES,..." and the like, of any numbers behind NODES; none is drawn by stress.
template <std::size_t kind>
std::string odd_family() {
    static const std::string name = fmt::format("odd-{}", kind);
    add_topology_family({.name = name,
                         .form = name,
                         .about = "for this test",
                         .build = [](const Parameters&) -> std::shared_ptr<const Topology> { return nullptr; },
                         .members = [](NodeId) { return std::vector<std::string>(); },
                         .weight = 0,
                         .drawn = every_kind.at(kind)});
    return name;
}

template <std::size_t... kinds>
std::vector<std::string> names_of_odd_families(std::index_sequence<kinds...>) {
    return {odd_family<kinds>()...};
}

TEST(Layouts, PutEveryNodeOfAUsersFamilyInItsPlaceWhateverItsNumbers) {
    for (const std::string& family : names_of_odd_families(std::make_index_sequence<every_kind.size()>()))
        for (const char* numbers : {"", ":0", ":1", ":2", ":3", ":5", ":7,0", ":2x3", ":12x1", ":4,3", ":3,5", ":64",
                                    ":99999999999999999999999", ":4294967296x4294967296x6", ":x", ":-3"})
            for (const NodeId nodes : std::vector<NodeId>{3, 4, 6, 7, 8, 12, 24}) {
                const OddRing topology(family + numbers, nodes);
                const Layout layout = layout_of(topology);
                ASSERT_EQ(layout.at.size(), nodes) << topology.spec();
                for (std::size_t v = 0; v < layout.at.size(); ++v)
                    for (std::size_t w = 0; w < v; ++w)
                        ASSERT_GT(distance(layout.at[v], layout.at[w]), 0.3) << topology.spec() << " of " << nodes;
            }
}

TEST(Layouts, DrawAFamilyAsItSaysWhereItsNumbersFit) {
    const std::vector<std::string> families = names_of_odd_families(std::make_index_sequence<every_kind.size()>());
    for (std::size_t kind = 0; kind < every_kind.size(); ++kind)
        EXPECT_EQ(drawn_as(OddRing(families[kind] + ":2x4", 8)), every_kind.at(kind)) << families[kind];
    EXPECT_EQ(drawn_as(OddRing(families[3] + ":5x2", 8)), DrawnAs::computed);
}

}  // namespace
}  // namespace kport
