/// @file every_topology_test.cpp   Properties of every topology, on all small sizes, against breadth-first search.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "emulator/topology/family.hpp"
#include "emulator/topology/topology.hpp"
#include "tests/support/families.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/topology/reference.hpp"

namespace kport {
namespace {

using test::Reference;

/// All members of a family that it names with up to 40 nodes, and some odd shapes of the grids.
std::vector<std::string> small_specs(const std::string& name) {
    const auto family = std::ranges::find(topology_families(), name, &TopologyFamily::name);
    std::vector<std::string> specs;
    for (NodeId nodes = 1; nodes <= 40; ++nodes)
        for (const std::string& member : family->members(nodes)) specs.push_back(spec_of(*family, member));
    if (name != "mesh" && name != "torus" && name != "hamming") return specs;
    for (int side = 1; side <= 9; ++side) specs.push_back(fmt::format("{}:{}", name, side));
    for (const char* sides : {"1x1", "1x5", "2x1x3", "3x1x1", "2x2x2x2x2", "3x1x2x3", "2x3x2x3", "1x1x1x1", "3x3x3x3",
                              "4x4x4", "10x11", "2x31", "13x2"})
        specs.push_back(fmt::format("{}:{}", name, sides));
    return specs;
}

/// One test a family and claim; the claim is tried on every small size of the family, under a sanitizer on some.
class EveryTopology : public ::testing::TestWithParam<std::string> {
  protected:
    template <class Claim>
    static void on_all_small_sizes(const Claim& claim) {
        test::Sample sample(7, 3);
        for (const std::string& spec : small_specs(GetParam())) {
            if (sample.leaves_out()) continue;
            SCOPED_TRACE(spec);
            const std::shared_ptr<const Topology> topology = make_topology(spec);
            claim(*topology, Reference(*topology));
            if (HasFatalFailure()) return;
        }
    }
};

TEST_P(EveryTopology, KeepsItsSpecification) {
    on_all_small_sizes([](const Topology& topology, const Reference&) {
        EXPECT_EQ(topology.family(), GetParam());
        EXPECT_EQ(make_topology(topology.spec())->spec(), topology.spec());
    });
}

TEST_P(EveryTopology, IsASimpleConnectedGraph) {
    on_all_small_sizes([](const Topology&, const Reference& reference) {
        EXPECT_TRUE(reference.simple());
        EXPECT_TRUE(reference.connected());
    });
}

TEST_P(EveryTopology, LeadsBackAcrossTheSameLink) {
    on_all_small_sizes([](const Topology& topology, const Reference&) {
        for (NodeId v = 0; v < topology.nodes(); ++v)
            for (Port p = 0; p < topology.ports(); ++p) {
                const LinkEnd there = topology.across(v, p);
                if (there.node == no_node) {
                    EXPECT_EQ(there, LinkEnd{}) << "node " << v << " port " << p;
                    continue;
                }
                ASSERT_LT(there.node, topology.nodes());
                ASSERT_LT(there.port, topology.ports());
                EXPECT_EQ(topology.across(there.node, there.port), (LinkEnd{v, p})) << "node " << v << " port " << p;
            }
    });
}

TEST_P(EveryTopology, KnowsThePortToEachNeighbourAndToNoOtherNode) {
    on_all_small_sizes([](const Topology& topology, const Reference& reference) {
        for (NodeId v = 0; v < topology.nodes(); ++v)
            for (NodeId w = 0; w < topology.nodes(); ++w) {
                const Port p = topology.port_to(v, w);
                ASSERT_EQ(p != no_port, reference.adjacent(v, w)) << v << " to " << w;
                if (p == no_port) continue;
                EXPECT_EQ(topology.across(v, p).node, w) << v << " to " << w;
            }
    });
}

TEST_P(EveryTopology, CountsItsLinks) {
    on_all_small_sizes([](const Topology& topology, const Reference& reference) {
        for (NodeId v = 0; v < topology.nodes(); ++v) EXPECT_EQ(topology.degree(v), reference.degree(v)) << v;
        EXPECT_EQ(topology.max_degree(), reference.max_degree());
        EXPECT_EQ(topology.channels(), reference.channels());
    });
}

TEST_P(EveryTopology, MeasuresDistancesAsASearchDoes) {
    on_all_small_sizes([](const Topology& topology, const Reference& reference) {
        for (NodeId v = 0; v < topology.nodes(); ++v)
            for (NodeId w = 0; w < topology.nodes(); ++w)
                EXPECT_EQ(topology.distance(v, w), reference.distance(v, w)) << v << " to " << w;
    });
}

TEST_P(EveryTopology, KnowsEccentricityProfileAndSumOfDistances) {
    on_all_small_sizes([](const Topology& topology, const Reference& reference) {
        for (NodeId v = 0; v < topology.nodes(); ++v) {
            EXPECT_EQ(topology.eccentricity(v), reference.eccentricity(v)) << v;
            EXPECT_EQ(topology.distance_profile(v), reference.profile(v)) << v;
            EXPECT_EQ(topology.sum_of_distances(v), reference.sum_of_distances(v)) << v;
            EXPECT_EQ(topology.Topology::sum_of_distances(v), reference.sum_of_distances(v)) << v << " by the profile";
        }
        EXPECT_EQ(topology.diameter(), reference.diameter());
        EXPECT_EQ(topology.radius(), reference.radius());
    });
}

TEST_P(EveryTopology, KnowsWhetherItIsBipartite) {
    on_all_small_sizes([](const Topology& topology, const Reference& reference) {
        EXPECT_EQ(topology.bipartite(), reference.bipartite());
    });
}

TEST_P(EveryTopology, IsVertexSymmetricIfAutomorphismsTakeNode0Everywhere) {
    on_all_small_sizes([](const Topology& topology, const Reference& reference) {
        EXPECT_TRUE(reference.all_profiles_equal() || !topology.vertex_symmetric());
        EXPECT_EQ(topology.vertex_symmetric(), topology.Topology::vertex_symmetric()) << "by search";
    });
}

TEST_P(EveryTopology, FindsBySearchWhatItKnowsByFormula) {
    on_all_small_sizes([](const Topology& topology, const Reference& reference) {
        EXPECT_EQ(topology.Topology::max_degree(), reference.max_degree());
        EXPECT_EQ(topology.Topology::channels(), reference.channels());
        EXPECT_EQ(topology.Topology::diameter(), reference.diameter());
        EXPECT_EQ(topology.Topology::radius(), reference.radius());
        EXPECT_EQ(topology.Topology::bipartite(), reference.bipartite());
        const NodeId mid = topology.nodes() / 2;
        EXPECT_EQ(topology.Topology::distance_profile(mid), reference.profile(mid));
        EXPECT_EQ(topology.Topology::degree(mid), reference.degree(mid));
        for (NodeId v = 0; v < topology.nodes(); ++v) {
            EXPECT_EQ(topology.Topology::distance(mid, v), reference.distance(mid, v)) << v;
            EXPECT_EQ(topology.Topology::port_to(mid, v), topology.port_to(mid, v)) << v;
        }
    });
}

TEST_P(EveryTopology, RoutesMinimally) {
    on_all_small_sizes([](const Topology& topology, const Reference& reference) {
        for (NodeId v = 0; v < topology.nodes(); ++v)
            for (NodeId w = 0; w < topology.nodes(); ++w) {
                if (v == w) continue;
                const NodeId next = topology.across(v, topology.route(v, w)).node;
                ASSERT_NE(next, no_node) << v << " to " << w;
                EXPECT_EQ(reference.distance(next, w) + 1, reference.distance(v, w)) << v << " to " << w;
            }
    });
}

TEST_P(EveryTopology, ReadsEachNodesNumber) {
    on_all_small_sizes([](const Topology& topology, const Reference&) {
        for (NodeId v = 0; v < topology.nodes(); ++v) {
            EXPECT_EQ(topology.node(std::to_string(v)), v);
            const std::string name = topology.name(v);
            EXPECT_EQ(name.substr(0, name.find(' ')), std::to_string(v));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(AllSmallSizes, EveryTopology, ::testing::ValuesIn(test::names_of_families()),
                         test::family_as_test_name);

}  // namespace
}  // namespace kport
