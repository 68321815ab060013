#include "pictures/layout.hpp"

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
    const Layout layout = layout_of(*make_topology("hypercube:5"));
    for (unsigned d = 0; d < 5; ++d)
        for (NodeId v = 0; v < 32; ++v)
            if ((v >> d & 1U) == 0) {
                const NodeId w = v | NodeId{1} << d;
                EXPECT_NEAR(layout.at[w].x - layout.at[v].x, layout.at[NodeId{1} << d].x - layout.at[0].x, 1e-9);
                EXPECT_NEAR(layout.at[w].y - layout.at[v].y, layout.at[NodeId{1} << d].y - layout.at[0].y, 1e-9);
            }
}

TEST(Layouts, RefuseMachinesOfWhichNobodySeesTheNodes) {
    EXPECT_THROW((void)layout_of(*make_topology("hypercube:30")), DoesNotFit);
}

}  // namespace
}  // namespace kport
