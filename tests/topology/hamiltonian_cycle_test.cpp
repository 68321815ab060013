#include "emulator/topology/hamiltonian_cycle.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "emulator/topology/topology.hpp"

namespace kport {
namespace {

/// Empty if positions name each node once, and a link leads from each to the next and from the last to the first.
std::string flaw_of(const Topology& topology, const HamiltonianCycle& cycle) {
    const NodeId nodes = topology.nodes();
    if (cycle.nodes() != nodes) return fmt::format("{} nodes instead of {}", cycle.nodes(), nodes);
    for (NodeId position = 0; position < nodes; ++position) {
        const NodeId v = cycle.at(position);
        if (v >= nodes || cycle.position(v) != position) return fmt::format("node {} at position {}", v, position);
        const NodeId next = cycle.at(position + 1 == nodes ? 0 : position + 1);
        if (nodes > 1 && topology.port_to(v, next) == no_port) return fmt::format("no link from {} to {}", v, next);
    }
    return {};
}

TEST(AHamiltonianCycle, GoesThroughAllNodesOfEveryGraphWithARule) {
    std::vector<std::string> specs;
    for (NodeId a = 1; a <= 7; ++a) {
        for (const char* family : {"ring:{}", "complete:{}", "hypercube:{}"})
            specs.push_back(fmt::format(fmt::runtime(family), a));
        for (NodeId b = 1; b <= 7; ++b) {
            specs.push_back(fmt::format("torus:{}x{}", a, b));
            if (a * b % 2 == 0 && a > 1 && b > 1) specs.push_back(fmt::format("mesh:{}x{}", a, b));
            for (NodeId c = 1; c <= 5; ++c) {
                specs.push_back(fmt::format("torus:{}x{}x{}", a, b, c));
                if (a * b * c % 2 == 0 && (a > 1) + (b > 1) + (c > 1) > 1)
                    specs.push_back(fmt::format("mesh:{}x{}x{}", a, b, c));
            }
        }
    }
    specs.insert(specs.end(), {"torus:3x5x3x5", "torus:3x3x3x3x3", "mesh:3x1x3x2x3", "torus:1x3x1x3", "hypercube:0"});
    for (const std::string& spec : specs) {
        const auto topology = make_topology(spec);
        const auto cycle = HamiltonianCycle::of(*topology);
        ASSERT_TRUE(cycle) << spec;
        EXPECT_EQ(flaw_of(*topology, *cycle), "") << spec;
    }
}

// A cycle of a bipartite graph has an even number of nodes; a line has none.
TEST(AHamiltonianCycle, IsNotSaidOfAMeshWithAnOddNumberOfNodesOrALine) {
    for (const char* spec : {"mesh:3x3", "mesh:3x5x7", "line:4", "line:5", "mesh:1x6", "mesh:1x1", "star:4", "cbt:3"})
        EXPECT_FALSE(HamiltonianCycle::of(*make_topology(spec))) << spec;
}

}  // namespace
}  // namespace kport
