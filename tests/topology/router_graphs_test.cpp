/// @file router_graphs_test.cpp   Dragonflies, slim flies, polar flies, twisted tori, express and chiplet meshes, Xpanders: what is
/// published of them, against breadth-first search.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/topology/complete.hpp"
#include "emulator/topology/fabric.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/topology.hpp"
#include "tests/support/wiring_hash.hpp"
#include "tests/topology/reference.hpp"

namespace kport {
namespace {

using test::Reference;

/// Each link leads back, with the same capacity, and port_to() and labels() know it.
void expect_links_both_ways(const Topology& topology) {
    for (NodeId v = 0; v < topology.nodes(); ++v)
        for (Port p = 0; p < topology.ports(); ++p) {
            const LinkEnd there = topology.across(v, p);
            if (there.node == no_node) continue;
            ASSERT_EQ(topology.across(there.node, there.port), (LinkEnd{v, p})) << topology.spec() << " node " << v;
            ASSERT_EQ(topology.capacity(there.node, there.port), topology.capacity(v, p)) << topology.spec();
            ASSERT_EQ(topology.port_to(v, there.node), p) << topology.spec() << " node " << v;
            ASSERT_LT(p, topology.labels(v)) << topology.spec();
            ASSERT_LT(p, topology.labels_in_use()) << topology.spec();
        }
}

/// What the class knows by formula is what a search finds.
void expect_counts_and_distances(const Topology& topology) {
    const Reference reference(topology);
    SCOPED_TRACE(topology.spec());
    EXPECT_TRUE(reference.simple());
    ASSERT_TRUE(reference.connected());
    EXPECT_EQ(topology.channels(), reference.channels());
    EXPECT_EQ(topology.max_degree(), reference.max_degree());
    EXPECT_EQ(topology.diameter(), reference.diameter());
    EXPECT_EQ(topology.radius(), reference.radius());
    EXPECT_EQ(topology.bipartite(), reference.bipartite());
    for (NodeId v = 0; v < topology.nodes(); ++v) {
        ASSERT_EQ(topology.degree(v), reference.degree(v)) << v;
        ASSERT_EQ(topology.eccentricity(v), reference.eccentricity(v)) << v;
        ASSERT_EQ(topology.distance_profile(v), reference.profile(v)) << v;
        ASSERT_EQ(topology.sum_of_distances(v), reference.sum_of_distances(v)) << v;
        for (NodeId w = 0; w < topology.nodes(); ++w) {
            ASSERT_EQ(topology.distance(v, w), reference.distance(v, w)) << v << " to " << w;
            ASSERT_EQ(topology.port_to(v, w) != no_port, reference.adjacent(v, w)) << v << " to " << w;
        }
    }
}

/// Returns the capacities between each pair of groups of so many nodes.
std::map<std::pair<NodeId, NodeId>, std::uint64_t> between_groups(const Topology& topology, NodeId size) {
    std::map<std::pair<NodeId, NodeId>, std::uint64_t> sums;
    for (NodeId v = 0; v < topology.nodes(); ++v)
        for (Port p = 0; p < topology.ports(); ++p)
            if (const NodeId w = topology.across(v, p).node; w != no_node && v / size != w / size)
                sums[{v / size, w / size}] += topology.capacity(v, p);
    return sums;
}

TEST(Dragonfly, JoinsEachTwoGroupsByEquallyManyLinksInEveryArrangement) {
    for (std::uint64_t routers = 1; routers <= 4; ++routers)
        for (std::uint64_t links = 1; links <= 6; ++links)
            for (std::uint64_t groups = 2; groups <= routers * links + 1 && routers * groups <= 40; ++groups)
                for (int arrangement = 0; arrangement <= 2; ++arrangement) {
                    const auto machine =
                        make_topology(fmt::format("dragonfly:{},{},{},{}", routers, links, groups, arrangement));
                    const Topology* const topology = &machine->wires();
                    SCOPED_TRACE(topology->spec());
                    ASSERT_EQ(topology->nodes(), routers * groups);
                    const auto sums = between_groups(*topology, routers);
                    EXPECT_EQ(sums.size(), groups * (groups - 1));
                    for (const auto& [pair, sum] : sums) EXPECT_EQ(sum, routers * links / (groups - 1));
                    EXPECT_LE(topology->diameter(), 3U);
                    expect_links_both_ways(*topology);
                    expect_counts_and_distances(*topology);
                }
}

TEST(Dragonfly, HasATrunkWhereTwoLinksFallOnTheSameRouters) {
    const auto machine = make_topology("dragonfly:2,2,2,0");
    ASSERT_NE(machine->fabric(), nullptr);
    EXPECT_EQ(machine->fabric()->switches(), 0U);
    EXPECT_EQ(machine->nodes(), 4U);
    EXPECT_EQ(machine->width(0), 3U);
    const Topology& links = machine->wires();
    EXPECT_TRUE(links.has_trunks());
    EXPECT_EQ(links.capacity(0, 0), 1U);
    EXPECT_EQ(links.capacity(0, 1), 2U);
    EXPECT_EQ(links.across(0, 2), LinkEnd{});
    EXPECT_EQ(links.labels_in_use(), 2U);
    for (const char* spec : {"dragonfly:4,2", "dragonfly:4,2,5,1", "dragonfly:3,1,3,2"})
        EXPECT_EQ(make_topology(spec)->fabric(), nullptr) << spec;
}

TEST(Products, KeepTheTrunksOfTheirFactors) {
    for (const char* spec :
         {"product(ring:3,dragonfly:2,2,2,0)", "product(product(line:3,dragonfly:2,2,2,0),line:2)"}) {
        const auto machine = make_topology(spec);
        ASSERT_NE(machine->fabric(), nullptr) << spec;
        EXPECT_EQ(machine->fabric()->capacities() - machine->fabric()->channels(), machine->nodes()) << spec;
        expect_links_both_ways(machine->wires());
    }
    EXPECT_EQ(make_topology("product(ring:3,dragonfly:2,2,2,0)")->wires().capacity(0, 3), 2U);
    EXPECT_EQ(make_topology("product(product(line:3,dragonfly:2,2,2,0),line:2)")->spec(),
              "product:line:3,dragonfly:2,2,2,0,line:2");
}

TEST(Hosts, HangOnNetworksWithTrunks) {
    const auto machine = make_topology("hosts(2,dragonfly:2,2,2,0)");
    const Fabric& fabric = *machine->fabric();
    EXPECT_EQ(fabric.hosts(), 8U);
    EXPECT_EQ(fabric.capacity(8, 0), 1U);
    EXPECT_EQ(fabric.capacity(8, 1), 2U);
    EXPECT_EQ(fabric.capacity(0, 0), 1U);
    EXPECT_EQ(fabric.capacity(8, 2), 0U) << "a label without a link";
    EXPECT_EQ(fabric.capacities(), fabric.channels() + 4) << "two trunks of two";
    expect_links_both_ways(fabric);
}

TEST(TrunkedGraphs, OfWhichAllNodesAreLinkedAreComplete) {
    const auto two = make_topology("dragonfly:1,3,2,0");  // two routers and a trunk of three
    ASSERT_NE(two->fabric(), nullptr);
    EXPECT_NE(dynamic_cast<const Complete*>(two.get()), nullptr);
    EXPECT_EQ(dynamic_cast<const Complete*>(make_topology("dragonfly:2,2,2,0").get()), nullptr);
}

TEST(Dragonfly, NamesOneMachineByOneSpecification) {
    EXPECT_EQ(make_topology("dragonfly:4,2,9,0")->spec(), "dragonfly:4,2");
    EXPECT_EQ(make_topology("dragonfly:4,2,9")->spec(), "dragonfly:4,2");
    EXPECT_EQ(make_topology("dragonfly:4,2,5")->spec(), "dragonfly:4,2,5,0");
    EXPECT_EQ(make_topology("dragonfly:4,2,9,2")->spec(), "dragonfly:4,2,9,2");
}

TEST(Dragonfly, NeedsNoSearchForTheExtremesOfALargeMember) {
    for (const char* spec : {"dragonfly:1000,1000", "dragonfly:32,16,513", "dragonfly:1000,1000,500000,2"}) {
        const auto topology = make_topology(spec);
        EXPECT_EQ(topology->diameter(), 3U) << spec;
        EXPECT_GT(topology->max_degree(), 46U) << spec;
        EXPECT_EQ(topology->port_to(topology->nodes() - 1, topology->across(topology->nodes() - 1, 5).node), 5U);
    }
    EXPECT_EQ(make_topology("dragonfly:32,16,513,1")->radius(), 3U);
    EXPECT_EQ(make_topology("dragonfly:32,16,513")->eccentricity(16415), 3U);
}

TEST(SlimFly, HasDiameterTwoForEachPrimePower) {
    for (const std::uint64_t q : {3U, 4U, 5U, 7U, 8U, 9U, 11U, 13U, 16U}) {
        const auto topology = make_topology(fmt::format("slimfly:{}", q));
        const std::uint64_t e = q % 4 == 3 ? 0 : q % 4 == 0 ? 1 : 2;  // that of Q, plus 1
        EXPECT_EQ(topology->nodes(), 2 * q * q);
        EXPECT_EQ(topology->max_degree(), (3 * q + 1 - e) / 2);
        EXPECT_EQ(Reference(*topology).diameter(), 2U) << q;
        expect_links_both_ways(*topology);
        if (q <= 8) expect_counts_and_distances(*topology);
    }
}

TEST(PolarFly, HasDiameterTwoAndQPlusOneNodesOfDegreeQ) {
    for (const std::uint64_t q : {2U, 3U, 4U, 5U, 7U, 8U, 9U, 11U, 13U}) {
        const auto topology = make_topology(fmt::format("polarfly:{}", q));
        EXPECT_EQ(topology->nodes(), q * q + q + 1);
        EXPECT_EQ(topology->channels(), q * (q + 1) * (q + 1));
        NodeId of_degree_q = 0;
        for (NodeId v = 0; v < topology->nodes(); ++v) {
            of_degree_q += topology->degree(v) == q ? 1U : 0U;
            for (Port p = 1; p < topology->degree(v); ++p)
                ASSERT_LT(topology->across(v, p - 1).node, topology->across(v, p).node);
        }
        EXPECT_EQ(of_degree_q, q + 1);
        expect_links_both_ways(*topology);
        if (q <= 8) expect_counts_and_distances(*topology);
    }
}

TEST(FieldsOfRouterGraphs, MayBeLarge) {
    for (const char* spec : {"slimfly:1024", "slimfly:6561", "slimfly:65537", "polarfly:1024", "polarfly:2187"}) {
        const auto topology = make_topology(spec);
        EXPECT_EQ(topology->diameter(), 2U) << spec;
        for (const NodeId v : {NodeId{0}, NodeId{1}, topology->nodes() / 2, topology->nodes() - 1})
            for (const Port p : {0U, 1U, 100U, 500U}) {
                const LinkEnd there = topology->across(v, p);
                ASSERT_EQ(topology->across(there.node, there.port), (LinkEnd{v, p})) << spec;
                ASSERT_EQ(topology->distance(v, there.node), 1U) << spec;
            }
    }
}

TEST(TwistedTorus, IsTheTorusWhereNothingIsTwisted) {
    for (const auto& [sides, twists] :
         std::map<std::string, std::string>{{"3x3", "0"}, {"4x7", "0"}, {"3x4x5", "0x0"}, {"3x3x3x3", "0x0x0"}}) {
        const auto twisted = make_topology(fmt::format("twisted-torus:{},{}", sides, twists));
        const auto torus = make_topology("torus:" + sides);
        EXPECT_EQ(test::wiring_hash(*twisted), test::wiring_hash(*torus)) << sides;
        EXPECT_EQ(twisted->diameter(), torus->diameter()) << sides;
        EXPECT_EQ(twisted->name(5), torus->name(5)) << sides;
    }
}

TEST(TwistedTorus, HasThePublishedDiametersAndTheDistancesOfASearch) {
    EXPECT_EQ(make_topology("twisted-torus:4x8,4")->diameter(), 4U);
    EXPECT_EQ(make_topology("twisted-torus:4x4x8,4x4")->diameter(), 6U);
    for (const char* spec : {"twisted-torus:4x8,4", "twisted-torus:3x3,1", "twisted-torus:3x3,2", "twisted-torus:5x6,5",
                             "twisted-torus:3x4x5,1x4", "twisted-torus:4x4x4,2x0", "twisted-torus:3x3x3x3,2x1x0"}) {
        const auto topology = make_topology(spec);
        expect_links_both_ways(*topology);
        expect_counts_and_distances(*topology);
    }
}

TEST(TwistedTorus, ReadsCoordinates) {
    const auto topology = make_topology("twisted-torus:4x8,4");
    EXPECT_EQ(topology->node("1,2"), 10U);
    EXPECT_EQ(topology->name(10), "10 (1,2)");
    try {
        (void)topology->node("4,0");
        FAIL();
    } catch (const RequestError& error) {
        EXPECT_STREQ(error.what(), "source '4,0': twisted-torus:4x8,4 has nodes 0 to 31, or i,j with i < 4, j < 8");
    }
}

TEST(ExpressMesh, HasTheDistancesOfASearch) {
    for (NodeId side = 1; side <= 24; ++side)
        for (NodeId stride = 2; stride <= side + 1; ++stride) {
            const auto topology = make_topology(fmt::format("express-mesh:{},{}", side, stride));
            expect_links_both_ways(*topology);
            expect_counts_and_distances(*topology);
        }
    for (const char* spec :
         {"express-mesh:8x8,2", "express-mesh:1x1,2", "express-mesh:2x2,2", "express-mesh:3x3,2", "express-mesh:9x5,3",
          "express-mesh:7x1x4,3", "express-mesh:5x4x3,4", "express-mesh:4x1,9"}) {
        const auto topology = make_topology(spec);
        expect_links_both_ways(*topology);
        expect_counts_and_distances(*topology);
    }
}

TEST(ExpressMesh, IsTheMeshWhereNoSideIsLongEnough) {
    for (const char* sides : {"4x5", "2", "1x1x3"}) {
        const auto express = make_topology(fmt::format("express-mesh:{},5", sides));
        const auto mesh = make_topology(fmt::format("mesh:{}", sides));
        EXPECT_EQ(test::wiring_hash(*express), test::wiring_hash(*mesh)) << sides;
        EXPECT_EQ(express->diameter(), mesh->diameter()) << sides;
    }
    EXPECT_EQ(make_topology("express-mesh:4x5,5")->labels_in_use(), 4U);
    EXPECT_EQ(make_topology("express-mesh:4x5,4")->labels_in_use(), 8U);
    EXPECT_EQ(make_topology("express-mesh:5x4,4")->labels_in_use(), 6U);
}

TEST(ChipletMesh, KeepsLLinksASideAndAllWithin) {
    for (NodeId rows = 1; rows <= 3; ++rows)
        for (NodeId columns = 1; columns <= 3; ++columns)
            for (NodeId height = 1; height <= 5; ++height)
                for (NodeId width = 1; width <= 5; ++width)
                    for (NodeId links = 1; links <= std::min(height, width); ++links) {
                        const auto topology = make_topology(
                            fmt::format("chiplet-mesh:{}x{},{}x{},{}", rows, columns, height, width, links));
                        SCOPED_TRACE(topology->spec());
                        EXPECT_EQ(topology->nodes(), rows * columns * height * width);
                        const auto chiplet = [&](NodeId v) {
                            const NodeId across = columns * width;
                            return std::pair(v / across / height, v % across / width);
                        };
                        std::map<std::pair<std::pair<NodeId, NodeId>, std::pair<NodeId, NodeId>>, NodeId> sides;
                        NodeId within = 0;
                        for_each_link(*topology, [&](NodeId v, NodeId w) {
                            if (chiplet(v) == chiplet(w))
                                ++within;
                            else
                                ++sides[{chiplet(v), chiplet(w)}];
                        });
                        EXPECT_EQ(within, rows * columns * (height * (width - 1) + width * (height - 1)));
                        EXPECT_EQ(sides.size(), (rows - 1) * columns + rows * (columns - 1));
                        for (const auto& [pair, count] : sides) EXPECT_EQ(count, links);
                        EXPECT_EQ(topology->channels(),
                                  2 * (within + links * ((rows - 1) * columns + rows * (columns - 1))));
                        Port most = 0;
                        for (NodeId v = 0; v < topology->nodes(); ++v) most = std::max(most, topology->degree(v));
                        EXPECT_EQ(topology->max_degree(), most);
                    }
    for (const char* spec :
         {"chiplet-mesh:2x2,3x3,1", "chiplet-mesh:3x2,2x4,2", "chiplet-mesh:1x4,1x1,1", "chiplet-mesh:1x1,1x1,1"}) {
        expect_links_both_ways(*make_topology(spec));
        expect_counts_and_distances(*make_topology(spec));
    }
}

TEST(ChipletMesh, IsTheMeshWhereAllLinksAreKept) {
    EXPECT_EQ(test::wiring_hash(*make_topology("chiplet-mesh:2x3,4x4,4")),
              test::wiring_hash(*make_topology("mesh:8x12")));
    EXPECT_EQ(test::wiring_hash(*make_topology("chiplet-mesh:5x6,1x1,1")),
              test::wiring_hash(*make_topology("mesh:5x6")));
}

TEST(Xpander, IsALiftOfACompleteGraph) {
    for (const char* spec : {"xpander:1,1,0", "xpander:2,1,9", "xpander:2,9,5", "xpander:3,4,18446744073709551615",
                             "xpander:5,8,2", "xpander:7,1,3", "xpander:4,20,1"}) {
        const auto topology = make_topology(spec);
        const Port degree = topology->ports();
        const NodeId lift = topology->nodes() / (degree + 1);
        for (NodeId v = 0; v < topology->nodes(); ++v)
            for (Port p = 0; p < degree; ++p)
                EXPECT_EQ(topology->across(v, p).node / lift, p < v / lift ? p : p + 1) << spec;
        expect_links_both_ways(*topology);
        expect_counts_and_distances(*topology);
    }
    std::set<std::uint64_t> different;
    for (int seed = 0; seed < 20; ++seed)
        different.insert(test::wiring_hash(*make_topology(fmt::format("xpander:3,8,{}", seed))));
    EXPECT_EQ(different.size(), 20U);
    EXPECT_EQ(test::wiring_hash(*make_topology("xpander:4,1,7")), test::wiring_hash(*make_topology("complete:5")));
}

TEST(ImplicitRouterGraphs, TakeAMillionMillionNodes) {
    for (const char* spec : {"twisted-torus:1024x1024x1048576,1x1048575", "express-mesh:1048576x1048576,1024",
                             "express-mesh:1099511627776,1099511627776", "express-mesh:1x1099511627776,2",
                             "chiplet-mesh:1024x1024,1024x1024,1024", "chiplet-mesh:1x1,1x1099511627776,1",
                             "chiplet-mesh:1048576x1048576,1x1,1", "dragonfly:1048576,1,1048576,1",
                             "dragonfly:1,8000000,2,0", "dragonfly:10000,1000,10000001,2"}) {
        const auto topology = make_topology(spec);
        SCOPED_TRACE(spec);
        EXPECT_GT(topology->channels(), 1U);
        EXPECT_GT(topology->max_degree(), 0U);
        for (const NodeId v : {NodeId{0}, NodeId{1}, topology->nodes() / 2, topology->nodes() - 1})
            for (Port p = 0; p < std::min<Port>(topology->ports(), 8); ++p) {
                const LinkEnd there = topology->across(v, p);
                if (there.node == no_node) continue;
                ASSERT_LT(there.node, topology->nodes());
                ASSERT_EQ(topology->across(there.node, there.port), (LinkEnd{v, p})) << v << " " << p;
            }
    }
}

TEST(SmallerTopologies, MayHaveTrunks) {
    const std::vector<std::string> smaller = smaller_topologies(*make_topology("dragonfly:2,4,3,0"));
    EXPECT_THAT(smaller, testing::Contains("dragonfly:2,4,2,0"));
}

}  // namespace
}  // namespace kport
