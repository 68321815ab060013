/// @file connectivity_test.cpp   Connectivity: known values, and every set of links and nodes of small graphs taken away.
#include "emulator/topology/searches.hpp"

#include <bit>
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/topology/stored_graph.hpp"

namespace kport {
namespace {

TEST(Connectivity, OfFamiliesIsKnown) {
    const std::vector<std::pair<const char*, Connectivity>> known = {
        {"line:1", {0, 0}},        {"line:2", {1, 1}},    {"line:9", {1, 1}},       {"ring:9", {2, 2}},
        {"star:7", {1, 1}},        {"cbt:3", {1, 1}},     {"complete:6", {5, 5}},   {"hypercube:6", {6, 6}},
        {"mesh:3x4", {2, 2}},      {"torus:4x5", {4, 4}}, {"petersen", {3, 3}},     {"wheel:8", {3, 3}},
        {"bipartite:3x5", {3, 3}}, {"ccc:4", {3, 3}},     {"debruijn:2,5", {2, 2}}, {"star-graph:4", {3, 3}}};
    for (const auto& [spec, connectivity] : known)
        EXPECT_EQ(connectivity_of(*make_topology(spec)), connectivity) << spec;
}

TEST(Connectivity, OfTwoTrianglesWithACommonNodeIsTwoLinksAndOneNode) {
    using Link = StoredGraph::Link;
    const std::vector<Link> links = {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 2}};
    EXPECT_EQ(connectivity_of(StoredGraph("x", 5, links)), (Connectivity{2, 1}));
}

TEST(Connectivity, IsNotSearchedForWhereThatTakesTooLong) {
    EXPECT_EQ(connectivity_of(*make_topology("hypercube:16")), std::nullopt);
    EXPECT_EQ(connectivity_of(*make_topology("hypercube:40")), std::nullopt);
}

/// The nodes of the set that a node of it reaches over links that are left.
bool connected(const std::vector<StoredGraph::Link>& links, unsigned nodes, unsigned left) {
    unsigned seen = nodes & (~nodes + 1);
    for (unsigned before = 0; before != seen;) {
        before = seen;
        for (std::size_t i = 0; i < links.size(); ++i) {
            const unsigned ends = 1U << links[i].a | 1U << links[i].b;
            if ((left >> i & 1U) != 0 && (ends & nodes) == ends && (ends & seen) != 0) seen |= ends;
        }
    }
    return seen == nodes;
}

RC_GTEST_PROP(Connectivity, OfRandomGraphsIsTheLeastSetThatPartsThem, ()) {
    const auto nodes = *rc::gen::inRange<unsigned>(2, 8);
    const auto all = nodes * (nodes - 1) / 2;
    const auto count = *rc::gen::inRange<unsigned>(nodes - 1, std::min(all, 12U) + 1);
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const auto graph = make_topology(fmt::format("random-connected:{},{},{}", nodes, count, seed));
    std::vector<StoredGraph::Link> links;
    for (std::uint32_t v = 0; v < nodes; ++v)
        for (Port p = 0; p < graph->labels(v); ++p)
            if (const NodeId w = graph->across(v, p).node; v < w) links.push_back({v, static_cast<std::uint32_t>(w)});
    const unsigned every_link = (1U << links.size()) - 1;
    const unsigned every_node = (1U << nodes) - 1;
    Connectivity least{static_cast<Port>(links.size()), nodes - 1};
    for (unsigned lost = 0; lost <= every_link; ++lost)
        if (!connected(links, every_node, every_link & ~lost))
            least.links = std::min(least.links, static_cast<Port>(std::popcount(lost)));
    for (unsigned lost = 0; lost < every_node; ++lost)
        if (!connected(links, every_node & ~lost, every_link))
            least.nodes = std::min(least.nodes, static_cast<Port>(std::popcount(lost)));
    RC_ASSERT(connectivity_of(*graph) == least);
}

}  // namespace
}  // namespace kport
