/// @file recognized_test.cpp   Families under other numbers: found for each shuffle, and not for a near miss.
#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "emulator/topology/members.hpp"
#include "emulator/topology/renumbered.hpp"
#include "emulator/topology/stored_graph.hpp"

namespace kport {
namespace {

using Links = std::vector<StoredGraph::Link>;

Links links_by_number(const Topology& graph, const std::vector<std::uint32_t>& numbers) {
    Links links;
    for_each_link(graph, [&](NodeId a, NodeId b) { links.push_back({numbers[a], numbers[b]}); });
    return links;
}

std::vector<std::uint32_t> shuffled(NodeId nodes, unsigned seed) {
    std::vector<std::uint32_t> numbers(nodes);
    std::iota(numbers.begin(), numbers.end(), 0U);
    std::mt19937 random(seed);
    if (seed != 0) std::ranges::shuffle(numbers, random);
    return numbers;
}

std::shared_ptr<const Topology> stored_as_file(NodeId nodes, const Links& links) {
    return std::make_shared<const StoredGraph>("file:x", nodes, links);
}

void expect_same_links(const Topology& family, const Topology& graph) {
    ASSERT_EQ(family.channels(), graph.channels());
    std::set<NodeId> seen;
    for (NodeId v = 0; v < family.nodes(); ++v) {
        seen.insert(family.number(v));
        for_each_neighbour(family, v,
                           [&](NodeId w) { EXPECT_NE(graph.port_to(family.number(v), family.number(w)), no_port); });
    }
    EXPECT_EQ(seen.size(), graph.nodes());
}

/// What is found of a family under the numbers of a shuffle; its own name unless another is the same graph.
struct Shuffled {
    std::string family;
    std::string found;
};

const std::vector<Shuffled> recognized_families = {{"complete:2", "complete:2"},
                                                   {"complete:7", "complete:7"},
                                                   {"ring:3", "complete:3"},
                                                   {"ring:4", "hypercube:2"},
                                                   {"ring:5", "ring:5"},
                                                   {"ring:64", "ring:64"},
                                                   {"line:3", "line:3"},
                                                   {"line:50", "line:50"},
                                                   {"hypercube:1", "complete:2"},
                                                   {"hypercube:3", "hypercube:3"},
                                                   {"hypercube:7", "hypercube:7"},
                                                   {"mesh:2x2x2", "hypercube:3"},
                                                   {"mesh:2x5", "mesh:2x5"},
                                                   {"mesh:4x4", "mesh:4x4"},
                                                   {"mesh:5x3", "mesh:3x5"},
                                                   {"mesh:3x2x4", "mesh:2x3x4"},
                                                   {"mesh:1x6", "line:6"},
                                                   {"torus:3x3", "torus:3x3"},
                                                   {"torus:4x4", "hypercube:4"},
                                                   {"torus:3x4", "torus:3x4"},
                                                   {"torus:5x6", "torus:5x6"},
                                                   {"torus:8x5x3", "torus:3x5x8"},
                                                   {"torus:2x2x5", "torus:4x5"},
                                                   {"torus:2x7", "torus:2x7"},
                                                   {"torus:2x4x6", "torus:2x4x6"},
                                                   {"cbt:1", "line:3"},
                                                   {"cbt:2", "cbt:2"},
                                                   {"cbt:6", "cbt:6"}};

TEST(GraphsUnderOtherNumbers, AreTheFamilyThatTheyAre) {
    for (const auto& [spec, found] : recognized_families)
        for (unsigned seed = 1; seed <= 20; ++seed) {
            const auto family = make_topology(spec);
            const auto graph =
                stored_as_file(family->nodes(), links_by_number(*family, shuffled(family->nodes(), seed)));
            const auto again = recognized(graph);
            ASSERT_NE(again, nullptr) << spec << " shuffled by " << seed;
            const bool as_numbered = again->spec() == spec;  // a shuffle of few nodes may be none
            EXPECT_TRUE(as_numbered || again->spec() == found) << again->spec();
            expect_same_links(*again, *graph);
        }
}

TEST(GraphsUnderTheNumbersOfAFamily, KeepThem) {
    for (const char* spec : {"hypercube:5", "mesh:5x3", "mesh:3x2x4", "torus:5x6", "torus:8x5x3", "ring:9", "line:9",
                             "cbt:4", "complete:6"}) {
        const auto family = make_topology(spec);
        const auto again =
            recognized(stored_as_file(family->nodes(), links_by_number(*family, shuffled(family->nodes(), 0))));
        ASSERT_NE(again, nullptr) << spec;
        EXPECT_EQ(again->spec(), spec);
        for (NodeId v = 0; v < again->nodes(); ++v) EXPECT_EQ(again->number(v), v);
        EXPECT_EQ(family_in_words(*again), std::string("it is ") + spec);
    }
}

/// Exchanges the ends of two links: a graph of the same degrees, which may be the same graph under other numbers.
TEST(GraphsWithMovedLinks, AreNoFamilyUnlessAllLinksAreThere) {
    std::mt19937 random(7);
    int others = 0;
    for (const auto& [spec, found] : recognized_families) {
        const auto family = make_topology(spec);
        Links links = links_by_number(*family, shuffled(family->nodes(), 3));
        if (links.size() < 12) continue;
        for (int round = 0; round < 20; ++round) {
            Links moved = links;
            auto& [a, b] = moved[random() % moved.size()];
            auto& [c, d] = moved[random() % moved.size()];
            std::swap(b, d);
            std::set<std::pair<std::uint32_t, std::uint32_t>> all;
            for (const auto& [x, y] : moved) all.insert(std::minmax(x, y));
            const bool is_simple =
                all.size() == moved.size() && std::ranges::none_of(moved, [](auto l) { return l.a == l.b; });
            if (!is_simple) continue;
            const auto graph = stored_as_file(family->nodes(), moved);
            const auto again = recognized(graph);
            if (again == nullptr)
                ++others;
            else
                expect_same_links(*again, *graph);
        }
    }
    EXPECT_GT(others, 100);
}

/// One link leads elsewhere, so that degrees differ; one is more, or one is missing.
TEST(GraphsWithALinkThatLeadsElsewhere, AreNotTheFamily) {
    std::mt19937 random(11);
    for (const auto& [spec, found] : recognized_families) {
        const auto family = make_topology(spec);
        const Links links = links_by_number(*family, shuffled(family->nodes(), 5));
        const NodeId nodes = family->nodes();
        if (nodes < 12 || family->family() == "complete") continue;
        const auto graph = stored_as_file(nodes, links);
        for (int round = 0; round < 20; ++round) {
            Links moved = links;
            auto& link = moved[random() % moved.size()];
            const auto to = static_cast<std::uint32_t>(random() % nodes);
            if (to == link.a || to == link.b || graph->port_to(link.a, to) != no_port) continue;
            link.b = to;
            const auto other = stored_as_file(nodes, moved);
            if (const auto again = recognized(other); again != nullptr) expect_same_links(*again, *other);
            Links more = links;
            more.push_back(link);
            const auto denser = recognized(stored_as_file(nodes, more));
            EXPECT_TRUE(denser == nullptr || denser->spec() != found) << spec;
        }
    }
}

TEST(GraphsThatLookLikeAFamily, AreNone) {
    for (const char* spec : {"petersen", "crossed-cube:4", "mobius-cube:4,0", "twisted-cube:3", "twisted-torus:4x8,2",
                             "wheel:9", "star:9", "debruijn:2,4", "ccc:3", "kary-tree:3,2", "chiplet-mesh:2x2,2x2,1",
                             "hamming:4x4", "circulant:13,1,5", "product(ring:5,line:3)", "folded-hypercube:4"}) {
        const auto family = make_topology(spec);
        for (unsigned seed = 0; seed < 5; ++seed)
            EXPECT_EQ(
                recognized(stored_as_file(family->nodes(), links_by_number(*family, shuffled(family->nodes(), seed)))),
                nullptr)
                << spec;
    }
}

}  // namespace
}  // namespace kport
