/// @file broken_test.cpp   What is left of a machine: numbers, names, ports, distances, and what is refused.
#include "emulator/topology/broken.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/random.hpp"
#include "emulator/topology/broken_sets.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/stored_graph.hpp"

namespace kport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<const Topology> broken(std::string_view spec, std::string_view parts) {
    const auto whole = make_topology(spec);
    return without(whole, broken_parts(*whole, parts, "--broken"), "--broken");
}

std::string refusal(std::string_view spec, std::string_view parts) {
    try {
        return broken(spec, parts)->spec();
    } catch (const RequestError& error) {
        return error.what();
    } catch (const DoesNotFit& error) {
        return fmt::format("does not fit: {}", error.what());
    }
}

std::shared_ptr<const Topology> three_names() {
    const StoredGraph::Link links[] = {{0, 1}, {0, 2}, {1, 2}};
    return std::make_shared<const StoredGraph>("file:x", 3, links,
                                               std::vector<std::string>{"New York", "a--b", "say \"c\""});
}

TEST(ABrokenLink, LeavesNumbersAndPortLabels) {
    const auto ring = broken("ring:8", "0--1");
    EXPECT_EQ(ring->nodes(), 8);
    EXPECT_EQ(ring->channels(), 14);
    EXPECT_EQ(ring->degree(0), 1);
    EXPECT_EQ(ring->degree(2), 2);
    EXPECT_EQ(ring->port_to(0, 1), no_port);
    EXPECT_EQ(ring->distance(0, 1), 7);
    const auto whole = make_topology("ring:8");
    EXPECT_EQ(ring->across(0, whole->port_to(0, 1)).node, no_node);
    EXPECT_EQ(ring->port_to(0, 7), whole->port_to(0, 7));
    EXPECT_EQ(ring->across(0, whole->port_to(0, 7)), whole->across(0, whole->port_to(0, 7)));
    EXPECT_EQ(ring->label(3), "");
    EXPECT_EQ(ring->spec(), "broken:0--1;ring:8");
}

TEST(ABrokenNode, IsGoneAndTheOthersKeepTheirOldNumbersAsNames) {
    const auto mesh = broken("mesh:3x3", "4");
    EXPECT_EQ(mesh->nodes(), 8);
    EXPECT_EQ(mesh->channels(), 16);
    EXPECT_EQ(mesh->name(3), "3") << "its number is what it was";
    EXPECT_EQ(mesh->label(4), "5");
    EXPECT_EQ(mesh->node("5"), 4);
    EXPECT_EQ(mesh->node("=5"), 5);
    EXPECT_EQ(mesh->node("1,2"), 4);
    EXPECT_THROW((void)mesh->node("4"), RequestError);
    EXPECT_THROW((void)mesh->node("1,1"), RequestError);
    EXPECT_THROW((void)mesh->node("9"), RequestError);
    EXPECT_EQ(mesh->distance(mesh->node("3"), mesh->node("5")), 4);
}

TEST(BrokenParts, AreReadByNumberNameAndCoordinates) {
    EXPECT_EQ(refusal("mesh:2x2", "(0,0)--(0,1)"), "broken:0--1;mesh:2x2");
    EXPECT_EQ(refusal("mesh:2x2", "\"0,0\" -- \"0,1\""), "broken:0--1;mesh:2x2");
    EXPECT_EQ(refusal("mesh:2x3", "1--0*1, 5"), "broken:0--1,5;mesh:2x3");
}

TEST(BrokenParts, OfNamedNodesAreQuotedWhereNamesNeedIt) {
    const auto graph = three_names();
    const BrokenParts parts = broken_parts(*graph, "New York--\"a--b\",\"say \"\"c\"\"\"", "x");
    EXPECT_EQ(parts.links, (std::vector<BrokenParts::Link>{{0, 1}}));
    EXPECT_EQ(parts.nodes, std::vector<NodeId>{2});
    const std::vector<std::string> names = names_of(parts, *graph);
    EXPECT_EQ(broken_parts(*graph, fmt::format("{},{}", names[0], names[1]), "x"), parts);
    const auto left = without(graph, broken_parts(*graph, "New York", "x"), "x");
    EXPECT_EQ(left->label(0), "a--b");
    EXPECT_EQ(left->node("a--b"), 0);
    EXPECT_TRUE(lacks_node_0(*left));
}

TEST(BrokenParts, ThatAreWrongAreRefusedWithTheReason) {
    EXPECT_EQ(refusal("ring:8", "9"), "--broken: node '9': ring:8 has nodes 0 to 7");
    EXPECT_EQ(refusal("ring:8", "0--2"),
              "--broken: ring:8 has no link between node 0 and node 2; node 0 has links to 7, 1");
    EXPECT_THAT(refusal("ring:8", "3--3"), HasSubstr("a link joins two nodes, and node 3 is one"));
    EXPECT_THAT(refusal("ring:8", "0--1,1--0"), HasSubstr("between node 0 and node 1 is named twice"));
    EXPECT_THAT(refusal("ring:8", "5,5"), HasSubstr("node 5 is named twice"));
    EXPECT_THAT(refusal("ring:8", ""), HasSubstr("a name is missing"));
    EXPECT_THAT(refusal("ring:8", "0--"), HasSubstr("a name is missing"));
    EXPECT_THAT(refusal("ring:8", "0--1,"), HasSubstr("a name is missing"));
    EXPECT_THAT(refusal("ring:8", "\"0"), HasSubstr("a quote is not closed"));
    EXPECT_THAT(refusal("ring:8", "\"0\"1"), HasSubstr("want a comma"));
    EXPECT_THAT(refusal("ring:8", "0--1*2"), HasSubstr("'2' links between node 0 and node 1 where there is one"));
    EXPECT_THAT(refusal("mesh:2x2", "(0,0"), HasSubstr("no ')' ends"));
    EXPECT_THAT(refusal("line:2", "0,1"), HasSubstr("all nodes of line:2 are broken"));
}

TEST(WhatIsLeft, MustBeConnectedAndTheRefusalNamesTwoNodes) {
    EXPECT_EQ(refusal("ring:6", "0--1,3--4"),
              "does not fit: node 0 and node 1 cannot reach each other on ring:6 without 0--1, 3--4");
    EXPECT_THAT(refusal("line:5", "2"), HasSubstr("node 1 and node 3 cannot reach each other"));
    EXPECT_THAT(refusal("star:4", "0"), HasSubstr("cannot reach each other"));
    EXPECT_EQ(refusal("star:4", "1,2,3"), "broken:1,2,3;star:4") << "one node is left";
}

TEST(AHugeMachine, LosesAPartWithoutASearchOfAllItsNodes) {
    const auto cube = broken("hypercube:40", "0--1,5");
    EXPECT_EQ(cube->nodes(), (NodeId{1} << 40) - 1);
    EXPECT_EQ(cube->max_degree(), 40);
    EXPECT_EQ(cube->channels(), 40 * (std::uint64_t{1} << 40) - 2 - 2 * 40);
    EXPECT_EQ(cube->label(5), "6");
    EXPECT_EQ(cube->node("7"), 6);
}

TEST(BrokenInBroken, IsOneMachineWithBothBroken) {
    const auto torus = make_topology("torus:3x3");
    const auto once = without(torus, broken_parts(*torus, "3", "x"), "x");
    const auto twice = without(once, broken_parts(*once, "5--8,2", "x"), "x");
    EXPECT_EQ(twice->spec(), "broken:5--8,2,3;torus:3x3");
    EXPECT_EQ(twice->node("8"), 6);
    EXPECT_THROW((void)broken_parts(*once, "3", "x"), RequestError) << "it is gone already";
}

TEST(TheFamilyOfBrokenMachines, ReadsItsSpecificationsAgain) {
    for (const char* spec : {"broken(0--1;ring:8)", "broken:4--5,0;mesh:3x3", "broken(0--1;product(ring:3,line:2))"}) {
        const auto one = make_topology(spec);
        EXPECT_EQ(make_topology(one->spec())->spec(), one->spec());
        EXPECT_EQ(one->family(), "broken");
    }
    EXPECT_THROW((void)make_topology("broken(ring:8)"), RequestError);
    EXPECT_THROW((void)make_topology("broken(0--1;ring:x)"), RequestError);
    EXPECT_THROW((void)make_topology("product(broken(0--1;ring:8),line:2)"), RequestError);
    std::string deep = "ring:8";
    for (int i = 0; i < 100; ++i) deep = fmt::format("broken(0--1;{})", deep);
    EXPECT_THROW((void)make_topology(deep), RequestError);
}

/// Each statement about a broken machine against the same graph, stored.
TEST(ABrokenMachine, IsTheGraphOfItsLinks) {
    Dice dice(5);
    int connected = 0;
    for (int i = 0; i < 300; ++i) {
        const std::string spec = draw_topology(dice, 24);
        if (spec.starts_with("broken")) continue;
        const auto whole = make_topology(spec);
        if (whole->fabric() != nullptr) continue;
        BrokenParts parts;
        for_each_link(*whole, [&](NodeId v, NodeId w) {
            if (dice.below(8) == 0) parts.links.emplace_back(v, w);
        });
        for (NodeId v = 0; v + 1 < whole->nodes(); ++v)
            if (dice.below(12) == 0) parts.nodes.push_back(v);
        std::ranges::sort(parts.links);
        std::vector<NodeId> old;
        std::map<NodeId, std::uint32_t> left;
        for (NodeId v = 0; v < whole->nodes(); ++v)
            if (!parts.has(v)) {
                left[v] = static_cast<std::uint32_t>(old.size());
                old.push_back(v);
            }
        std::vector<StoredGraph::Link> links;
        for_each_link(*whole, [&](NodeId v, NodeId w) {
            if (left.contains(v) && left.contains(w) && !parts.has(v, w)) links.push_back({left[v], left[w]});
        });
        const StoredGraph plain("plain", old.size(), links);
        bool is_connected = true;
        try {
            (void)plain.eccentricity(0);
        } catch (const RequestError&) {
            is_connected = false;
        }
        if (!is_connected) {
            EXPECT_THROW((void)without(whole, parts, "x"), DoesNotFit) << spec;
            continue;
        }
        ++connected;
        const auto graph = without(whole, parts, "x");
        ASSERT_EQ(graph->nodes(), old.size()) << graph->spec();
        EXPECT_EQ(graph->channels(), 2 * links.size()) << graph->spec();
        EXPECT_EQ(graph->max_degree(), plain.max_degree()) << graph->spec();
        EXPECT_EQ(graph->bipartite(), plain.bipartite()) << graph->spec();
        for (NodeId v = 0; v < old.size(); ++v) {
            EXPECT_EQ(graph->node(std::to_string(old[v])), v) << graph->spec();
            ASSERT_EQ(graph->degree(v), plain.degree(v)) << graph->spec();
            for (NodeId w = 0; w < old.size(); ++w) {
                EXPECT_EQ(graph->distance(v, w), plain.distance(v, w)) << graph->spec();
                const Port port = graph->port_to(v, w);
                ASSERT_EQ(port == no_port, plain.port_to(v, w) == no_port) << graph->spec();
                if (port == no_port) continue;
                EXPECT_EQ(graph->across(v, port), (LinkEnd{w, graph->port_to(w, v)}));
            }
        }
    }
    EXPECT_GT(connected, 50);
}

TEST(SetsOfParts, AreCountedListedAndDrawn) {
    const auto ring = make_topology("ring:6");
    const BrokenSets pairs(*ring, 2, 0, 0);
    EXPECT_EQ(pairs.count(), 15U);
    EXPECT_EQ(pairs.all().size(), 15U);
    EXPECT_EQ(pairs.parts(pairs.all().front()).links, (std::vector<BrokenParts::Link>{{0, 1}, {0, 5}}));
    const BrokenSets mixed(*ring, 1, 2, 3);
    EXPECT_EQ(mixed.count(), 6U * 10U);
    EXPECT_EQ(mixed.all().size(), 60U);
    for (const auto& set : mixed.all()) EXPECT_FALSE(mixed.parts(set).has(3)) << "it is spared";
    const auto some = pairs.sample(4, 1);
    EXPECT_EQ(some.size(), 4U);
    EXPECT_EQ(some, pairs.sample(4, 1));
    EXPECT_LT(pairs.sample(100, 1).size(), 16U);
    const std::uint32_t turned[] = {1, 2, 3, 4, 5, 0};
    EXPECT_EQ(pairs.parts(pairs.image({pairs.link(0, 1), pairs.link(4, 5)}, turned)).links,
              (std::vector<BrokenParts::Link>{{0, 5}, {1, 2}}));
    EXPECT_THROW(BrokenSets(*ring, 7, 0, no_node), RequestError);
    EXPECT_THROW(BrokenSets(*ring, 0, 6, 0), RequestError);
    EXPECT_THROW(BrokenSets(*ring, 0, 6, no_node), RequestError);
    EXPECT_FALSE(BrokenSets(*make_topology("hypercube:10"), 100, 0, no_node).count().has_value());
}

}  // namespace
}  // namespace kport
