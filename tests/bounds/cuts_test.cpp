/// @file cuts_test.cpp   Narrow places of graphs against brute force, and what they and an odd number of nodes cost.
#include <algorithm>
#include <map>
#include <queue>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/cuts.hpp"
#include "tests/bounds/request.hpp"

namespace kport {
namespace {

/// The sizes of the parts into which a graph falls without a node, or without the link between two, in ascending order.
std::vector<std::uint64_t> parts_without(const Topology& graph, NodeId node, NodeId a = no_node, NodeId b = no_node) {
    std::vector<bool> seen(graph.nodes(), false);
    if (node != no_node) seen[node] = true;
    std::vector<std::uint64_t> parts;
    for (NodeId first = 0; first < graph.nodes(); ++first) {
        if (seen[first]) continue;
        std::queue<NodeId> open({first});
        seen[first] = true;
        std::uint64_t size = 0;
        for (; !open.empty(); open.pop()) {
            const NodeId v = open.front();
            ++size;
            for (Port port = 0; port < graph.ports(); ++port) {
                const NodeId w = graph.across(v, port).node;
                if (w == no_node || seen[w] || (v == a && w == b) || (v == b && w == a)) continue;
                seen[w] = true;
                open.push(w);
            }
        }
        parts.push_back(size);
    }
    std::ranges::sort(parts);
    return parts;
}

TEST(NarrowPlaces, AreTheNodesAndLinksWithoutWhichTheGraphFallsIntoParts) {
    std::vector<std::string> specs = {
        "line:1",  "line:2", "line:5", "star:6", "cbt:3", "ring:5", "petersen", "binomial-tree:4", "shuffle-exchange:4",
        "mesh:2x3"};
    for (int seed = 0; seed < 30; ++seed) {
        specs.push_back(fmt::format("random-connected:{},{},{}", 9 + seed % 5, 10 + seed % 7 + seed % 5, seed));
        specs.push_back(fmt::format("random-tree:{},{}", 2 + seed, seed));
    }
    for (const std::string& spec : specs) {
        const auto graph = make_topology(spec);
        const bounds::NarrowPlaces places(*graph);
        std::map<NodeId, std::vector<std::uint64_t>> joints;
        for (const bounds::Joint& joint : places.joints) {
            std::vector<std::uint64_t> parts = joint.parts();
            std::ranges::sort(parts);
            EXPECT_TRUE(joints.emplace(joint.node, parts).second);
        }
        std::uint64_t behind_bridge = 0;
        for (NodeId v = 0; v < graph->nodes(); ++v) {
            const auto parts = parts_without(*graph, v);
            EXPECT_EQ(joints.contains(v), parts.size() >= 2) << spec << " " << v;
            if (parts.size() >= 2) {
                EXPECT_EQ(joints[v], parts) << spec << " " << v;
            }
            for (Port port = 0; port < graph->ports(); ++port) {
                const NodeId w = graph->across(v, port).node;
                if (w == no_node) continue;
                const auto sides = parts_without(*graph, no_node, v, w);
                if (sides.size() == 2) behind_bridge = std::max(behind_bridge, sides.front());
            }
        }
        EXPECT_EQ(places.behind_bridge, behind_bridge) << spec;
    }
}

double volume(const Operation& operation, std::string_view spec, std::string_view ports = "1",
              std::string_view switching = "sf") {
    return value_of(bounds_of(operation, machine_of(spec, ports, switching))[Quantity::volume]);
}

TEST(NarrowPlaces, BoundWhatANodeThatJoinsPartsMustSend) {
    EXPECT_EQ(volume(Operation::alltoall, "star:7"), 6 * 6) << "its own and those of each leaf for each other";
    EXPECT_EQ(volume(Operation::allgather, "star:7"), 6 * 6) << "to each leaf the packets of all others";
    EXPECT_EQ(volume(Operation::alltoall, "line:9"), 8 + 2 * 4 * 4) << "the middle's own, and from side to side";
    EXPECT_EQ(volume(Operation::alltoall, "star:7", "1", "wh"), 6) << "paths pass a node that does not send";
}

TEST(NarrowPlaces, BoundWhatMustCrossABridgeUnderAnySwitching) {
    EXPECT_EQ(volume(Operation::alltoall, "binomial-tree:4", "all"), 8 * 8);
    EXPECT_EQ(volume(Operation::alltoall, "binomial-tree:4", "all", "wh"), 8 * 8);
}

/// By the parts without each node, each measured by itself (model.md section 13.1).
std::uint64_t rounds_through_cuts(const Topology& graph, NodeId source, std::uint64_t ports, std::uint64_t packets) {
    std::uint64_t most = 0;
    for (NodeId v = 0; v < graph.nodes(); ++v) {
        std::map<std::uint64_t, std::vector<NodeId>> parts;  // by their lowest node
        std::vector<std::uint64_t> part(graph.nodes());
        for (NodeId w = 0; w < graph.nodes(); ++w) part[w] = w;
        for (bool changes = true; changes;) {
            changes = false;
            for_each_link(graph, [&](NodeId a, NodeId b) {
                if (a == v || b == v || part[a] == part[b]) return;
                part[a] = part[b] = std::min(part[a], part[b]);
                changes = true;
            });
        }
        for (NodeId w = 0; w < graph.nodes(); ++w)
            if (w != v && (v == source || part[w] != part[source])) parts[part[w]].push_back(w);
        if (parts.empty()) continue;
        std::uint64_t after = graph.nodes();
        for (const auto& [lowest, nodes] : parts) {
            std::uint64_t farthest = 0;
            std::uint64_t neighbours = 0;
            for (const NodeId w : nodes) {
                farthest = std::max<std::uint64_t>(farthest, graph.distance(v, w));
                neighbours += graph.distance(v, w) == 1 ? 1 : 0;
            }
            std::uint64_t spread = 0;
            const std::uint64_t widest = std::min<std::uint64_t>(ports, graph.max_degree());
            for (std::uint64_t known = 1; neighbours == 1 && known < nodes.size(); known *= widest + 1) ++spread;
            after = std::min(after, std::max(farthest - 1, spread));
        }
        const std::uint64_t sent = parts.size() * packets;
        const std::uint64_t at_once = std::min<std::uint64_t>(ports, graph.degree(v));
        most = std::max(most, graph.distance(source, v) + (sent + at_once - 1) / at_once + after);
    }
    return most;
}

TEST(CutVertex, BoundsABroadcastOfPacketsOnAnyGraphThatHasOne) {
    std::vector<std::string> specs = {"line:9", "star:6", "cbt:3", "binomial-tree:4", "shuffle-exchange:4"};
    for (int seed = 0; seed < 20; ++seed)
        specs.push_back(fmt::format("random-connected:{},{},{}", 9 + seed % 5, 10 + seed % 7 + seed % 5, seed));
    int bounded = 0;
    for (const std::string& spec : specs) {
        const auto shared = make_topology(spec);  // what is kept of it belongs to its ports and its root
        const Topology& graph = *shared;
        for (const std::string ports : {"1", "2", "all"}) {
            Machine machine = machine_of("line:2", ports, "sf", false);
            machine.topology = shared;
            for (const NodeId source : {NodeId{0}, graph.nodes() / 2}) {
                Collective collective = Collective::broadcast(source, 1);
                for (const std::uint64_t packets : {2U, 7U}) {
                    collective.packets_each = packets;
                    const auto reason = bounds::cut_vertex(bounds::facts_of(machine, collective));
                    if (!reason) continue;
                    ++bounded;
                    EXPECT_EQ(reason->value, rounds_through_cuts(graph, source, machine.widest(), packets))
                        << spec << " from " << source << ", " << ports << " ports, " << packets << " packets";
                }
            }
        }
    }
    EXPECT_GT(bounded, 150) << "graphs have joints";
}

TEST(CutVertex, IsFoundWhateverTheGraphIsNamedByAndHowLongItIs) {
    Collective collective = Collective::broadcast(0, 1);
    collective.packets_each = 8;
    const auto rounds = [&](std::string_view spec) {
        return value_of(lower_bounds(machine_of(spec, "1", "sf", false), collective)[Quantity::rounds]);
    };
    EXPECT_EQ(rounds("random-connected:10,14,5"), 16);
    collective.root = 10000;
    EXPECT_EQ(rounds("line:20001"), 2 * 8 - 1 + 10000) << "max(M - 1 + a, 2 M - 1 + b), model.md section 13.2";
}

// Knoedel 1975; the rounds of odd rings and complete graphs in the table of exact minima.
TEST(PairwiseMachines, NeedARoundMoreForAnOddNumberOfNodes) {
    for (const Operation& operation : {Operation::allgather, Operation::alltoall, Operation::allreduce}) {
        const auto rounds = [&](std::string_view spec, bool pairwise) {
            Machine machine = machine_of(spec);
            machine.pairwise = pairwise;
            return value_of(bounds_of(operation, machine)[Quantity::rounds]);
        };
        EXPECT_EQ(rounds("complete:9", true), 5);
        EXPECT_EQ(rounds("complete:9", false), 4);
        EXPECT_EQ(rounds("complete:8", true), 3);
        EXPECT_EQ(rounds("complete:5", true), 4);
    }
}

// A store-and-forward machine of pairs has one partner a round, whatever its ports: a packet a round comes to each node.
TEST(PairwiseMachines, BringOnePacketARoundToTheSlowestReceiver) {
    Machine machine = machine_of("ring:9", "all", "sf", false);
    machine.pairwise = true;
    Collective collective = Collective::broadcast(0, 1);
    collective.packets_each = 6;
    const bounds::Facts facts = bounds::facts_of(machine, collective);
    EXPECT_EQ(facts.ports_of(4), 1);
    bounds::Derivation found;
    bounds::add_long_broadcast(facts, found);
    EXPECT_THAT(
        found.packets.reasons(),
        testing::Contains(testing::Field(&bounds::Reason::name, "slowest receiver: ceil(6 / 1) - 1 + 4 at node 4")));
}

}  // namespace
}  // namespace kport
