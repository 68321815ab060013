/// @file neighbor_test.cpp   Operations among neighbours on any graph, and the colouring that they go by.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "algorithms/support/bipartite_colouring.hpp"
#include "emulator/base/random.hpp"
#include "emulator/engine/job.hpp"
#include "tests/algorithms/faults.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::machine;
using test::wormhole;

constexpr const char* graphs_with_neighbours[] = {
    "line:1",      "line:2",       "ring:2",           "ring:5",
    "torus:2x2",   "torus:2x3",    "mesh:2x3x4",       "star:9",
    "cbt:3",       "petersen",     "complete:7",       "ccc:3",
    "hypercube:0", "debruijn:2,4", "random-tree:17,5", "random-connected:18,30,2"};

TEST(NeighborColoured, TakesAsManyRoundsAsTheLargestDegreeOverThePorts) {
    for (const char* spec : graphs_with_neighbours)
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit(3), PortLimit::all()})
            for (const bool combining : {true, false})
                for (const std::uint64_t packets : {1U, 3U})
                    for (const Operation& operation : {Operation::neighbor_allgather, Operation::neighbor_alltoall})
                        for (Machine m : {machine(spec, ports), wormhole(machine(spec, ports))}) {
                            m.combining = combining;
                            Collective collective = fitted({operation, 0, 8}, *m.topology);
                            collective.packets_each = packets;
                            const Algorithm& row = *find_algorithm(operation, "coloured");
                            const std::uint64_t degree = m.topology->max_degree();
                            const std::uint64_t messages = combining ? 1 : packets;
                            const std::uint64_t k =
                                std::max<std::uint64_t>(1, std::min<std::uint64_t>(ports.k(), degree));
                            EXPECT_EQ(test::faults(row, m, collective, {}, std::nullopt), "");
                            EXPECT_EQ(expected_cost(row, m, collective, {}).rounds, (messages * degree + k - 1) / k);
                        }
}

TEST(NeighborColoured, MeetsItsBoundsWhereThePortsDivideTheDegree) {
    for (const char* spec : {"torus:3x3", "hypercube:4", "complete:5"}) {
        const Machine m = machine(spec, PortLimit(2));
        const Collective collective = fitted({Operation::neighbor_alltoall, 0, 8}, *m.topology);
        const ExpectedCost cost = expected_cost(*find_algorithm(collective.operation, "coloured"), m, collective, {});
        EXPECT_EQ(static_cast<double>(*cost.volume * 8), lower_bounds(m, collective)[Quantity::volume].largest())
            << spec;
    }
}

TEST(NeighborColoured, NeedsPortsAndLinksThatCarryBothDirections) {
    const Algorithm& row = *find_algorithm(Operation::neighbor_allgather, "coloured");
    const auto refusal = [&](const Machine& m) {
        return misfit_of(row, m, fitted({Operation::neighbor_allgather, 0, 8}, *m.topology), {}).value_or("");
    };
    Machine m = test::half_duplex(machine("ring:5"));
    EXPECT_EQ(refusal(m), "needs full duplex ports");
    m = machine("ring:5");
    m.links = Duplex::half;
    EXPECT_EQ(refusal(m), "needs full duplex links");
    m.links = Duplex::full;
    m.pairwise = true;
    EXPECT_EQ(refusal(m), "needs more than one partner a round");
}

// Node 3 sends node 2 nothing.
TEST(ANeighborAllgather, IsNotDeliveredWhereANeighbourIsLeftOut) {
    const Machine ring = machine("ring:4");
    Job job = make_job(*find_algorithm(Operation::neighbor_allgather, "coloured"), ring,
                       {Operation::neighbor_allgather, 0, 8}, {});
    job.program = [](Node& self) -> Program {
        const PacketSet own = PacketSet::range(self.id(), self.id() + 1);
        co_await self.send_to((self.id() + 1) % 4, own);
        co_await self.receive_from((self.id() + 3) % 4);
        if (self.id() != 3) co_await self.send_to((self.id() + 3) % 4, own);
        if (self.id() != 2) co_await self.receive_from((self.id() + 1) % 4);
    };
    job.starters.clear();
    job.starters_wait_until.clear();
    job.all_start = true;
    const Verdict verdict = run_lockstep(job, {}).verdict;
    EXPECT_FALSE(verdict.delivered);
    EXPECT_EQ(verdict.holders, 3U);
    const auto sentences = test::sentences(verdict, *ring.topology);
    ASSERT_EQ(sentences.size(), 1U);
    EXPECT_NE(sentences.front().find("node 2"), std::string::npos) << sentences.front();
    EXPECT_NE(sentences.front().find("packet 3"), std::string::npos) << sentences.front();
}

/// Whether each edge has one of D colours, and no two at a node have the same.
bool is_coloured(const std::set<std::pair<NodeId, NodeId>>& edges, const BipartiteColouring& colours, NodeId nodes) {
    std::set<std::pair<NodeId, NodeId>> found;
    for (std::uint64_t colour = 0; colour < colours.colours(); ++colour) {
        std::set<NodeId> receivers;
        for (NodeId u = 0; u < nodes; ++u) {
            const NodeId v = colours.receiver(u, colour);
            if (v == BipartiteColouring::none) continue;
            if (!receivers.insert(v).second || !found.emplace(u, v).second) return false;
        }
    }
    return found == edges;
}

TEST(BipartiteColouring, TakesNoMoreColoursThanTheLargestDegree) {
    Dice dice(7);
    for (int graph = 0; graph < 200; ++graph) {
        const NodeId nodes = 1 + dice.below(12);
        std::set<std::pair<NodeId, NodeId>> edges;
        for (NodeId u = 0; u < nodes; ++u)
            for (NodeId v = 0; v < nodes; ++v)
                if (dice.happens(0.4)) edges.emplace(u, v);
        std::vector<std::uint64_t> degrees(2 * nodes);
        for (const auto& [u, v] : edges) {
            ++degrees[u];
            ++degrees[nodes + v];
        }
        BipartiteColouring colours(nodes, std::ranges::max(degrees));
        for (const auto& [u, v] : edges) colours.add(u, v);
        EXPECT_TRUE(is_coloured(edges, colours, nodes)) << "graph " << graph;
    }
}

}  // namespace
}  // namespace kport
