/// @file ways_test.cpp   The flow over time against a flow through a copy of the graph for each round.
#include <algorithm>
#include <queue>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/ways.hpp"
#include "emulator/topology/stored_graph.hpp"
#include "tests/bounds/request.hpp"

namespace kport {
namespace {

using bounds::Ways;
using bounds::WaysTo;

/// Node v before round t is vertex 3 (t N + v); the next two are what it sends in the round before it, and what it receives.
class RoundByRound {
  public:
    RoundByRound(const Topology& graph, std::uint64_t ports, std::uint64_t rounds)
        : nodes_(graph.nodes()), arcs_(3 * nodes_ * (rounds + 1)) {
        const int many = 1 << 20;
        for (std::uint64_t t = 0; t < rounds; ++t)
            for (NodeId v = 0; v < nodes_; ++v) {
                add(holds(v, t), holds(v, t + 1), many);
                add(holds(v, t), holds(v, t) + 1, static_cast<int>(std::min<std::uint64_t>(ports, graph.degree(v))));
                add(holds(v, t + 1) + 2, holds(v, t + 1),
                    static_cast<int>(std::min<std::uint64_t>(ports, graph.degree(v))));
                for_each_neighbour(graph, v, [&](NodeId w) { add(holds(v, t) + 1, holds(w, t + 1) + 2, 1); });
            }
    }
    [[nodiscard]] std::size_t holds(NodeId v, std::uint64_t t) const { return 3 * (t * nodes_ + v); }
    /// Whether so many can flow.
    [[nodiscard]] bool carries(std::size_t from, std::size_t to, std::uint64_t packets) {
        while (packets > 0 && add_path(from, to)) --packets;
        return packets == 0;
    }

  private:
    struct Arc {
        std::size_t to;
        int left;
        std::size_t back;
    };

    void add(std::size_t from, std::size_t to, int capacity) {
        arcs_[from].push_back({to, capacity, arcs_[to].size()});
        arcs_[to].push_back({from, 0, arcs_[from].size() - 1});
    }
    bool add_path(std::size_t from, std::size_t to) {
        std::vector<Arc*> came_by(arcs_.size(), nullptr);
        std::queue<std::size_t> open({from});
        for (; !open.empty() && came_by[to] == nullptr; open.pop())
            for (Arc& arc : arcs_[open.front()])
                if (arc.left > 0 && arc.to != from && came_by[arc.to] == nullptr) {
                    came_by[arc.to] = &arc;
                    open.push(arc.to);
                }
        if (came_by[to] == nullptr) return false;
        for (std::size_t at = to; at != from;) {
            Arc& arc = *came_by[at];
            Arc& back = arcs_[at][arc.back];
            --arc.left;
            ++back.left;
            at = back.to;
        }
        return true;
    }

    std::uint64_t nodes_;
    std::vector<std::vector<Arc>> arcs_;
};

/// The least number of rounds in which so many packets can flow to any node, by trying.
std::uint64_t rounds_to_all(const Topology& graph, NodeId source, std::uint64_t ports, std::uint64_t packets) {
    std::uint64_t rounds = 1;
    for (NodeId v = 0; v < graph.nodes(); ++v)
        for (; v != source; ++rounds) {
            RoundByRound network(graph, ports, rounds);
            if (network.carries(network.holds(source, 0), network.holds(v, rounds), packets)) break;
        }
    return rounds;
}

std::uint64_t rounds_by_ways(const Topology& graph, NodeId source, std::uint64_t ports, std::uint64_t packets) {
    bounds::Count most = 0;
    for (const auto& [node, ways] : bounds::ways_from(graph, source, ports, 1 << 20)) {
        const bounds::Count rounds = bounds::rounds_over(ways, packets);
        EXPECT_GE(bounds::packets_over(ways, rounds), packets);
        EXPECT_LT(bounds::packets_over(ways, rounds - 1), packets);
        most = std::max(most, rounds);
    }
    return static_cast<std::uint64_t>(most);
}

// Ford, Fulkerson 1958: that packets may wait brings no more than the shortest ways, used again in each round.
TEST(WaysFrom, BringAsMuchAsAFlowThroughACopyOfTheGraphForEachRound) {
    std::vector<std::string> specs = {"petersen", "cbt:2", "mesh:3x3", "wheel:6", "product:line:2,ring:3", "ring:5"};
    for (int seed = 0; seed < 12; ++seed)
        specs.push_back(fmt::format("random-connected:{},{},{}", 6 + seed % 4, 7 + seed % 8, seed));
    for (const std::string& spec : specs) {
        const auto graph = make_topology(spec);
        for (const std::uint64_t ports : {1U, 2U, 3U, 99U})
            for (const std::uint64_t packets : {1U, 2U, 5U, 12U})
                for (const NodeId source : {NodeId{0}, graph->nodes() - 1})
                    EXPECT_EQ(rounds_by_ways(*graph, source, ports, packets),
                              rounds_to_all(*graph, source, ports, packets))
                        << spec << " from " << source << ", " << ports << " ports, " << packets << " packets";
    }
}

// The shortest way 0 1 2 3 takes both halves of the two that share no channel: they have 8 links together, with it 10.
TEST(WaysFrom, TakeBackWhatTheShortestWayTookWhereTwoNeedItApart) {
    const std::vector<StoredGraph::Link> links = {{0, 1}, {1, 2}, {2, 3}, {0, 4}, {4, 5},
                                                  {5, 2}, {1, 6}, {6, 7}, {7, 3}};
    const StoredGraph graph("trap", 8, links);
    const auto receivers = bounds::ways_from(graph, 0, 99, 1 << 20);
    EXPECT_THAT(receivers, testing::Contains(testing::Field(&bounds::Receiver::ways, WaysTo{{3, 1}, {5, 1}})));
    for (const std::uint64_t packets : {2U, 12U})
        EXPECT_EQ(rounds_by_ways(graph, 0, 99, packets), rounds_to_all(graph, 0, 99, packets));
}

TEST(WaysFrom, LooksAtTheFarthestNodesWhereTheStepsDoNotSufficeForAll) {
    const auto graph = make_topology("random-connected:60,150,3");
    const auto all = bounds::ways_from(*graph, 0, 99, 1 << 20);
    const auto first = bounds::ways_from(*graph, 0, 99, 1);
    EXPECT_GT(all.size(), 1);
    ASSERT_EQ(first.size(), 1);
    EXPECT_EQ(graph->distance(0, first.front().node), graph->eccentricity(0));
}

TEST(RoundsOver, AreTheFewestOfAnyNumberOfWays) {
    const WaysTo ways{{2, 1}, {5, 2}};
    EXPECT_EQ(bounds::rounds_over(ways, 1), 2);
    EXPECT_EQ(bounds::rounds_over(ways, 3), 4);
    EXPECT_EQ(bounds::rounds_over(ways, 6), 5) << "4 by the short way, one by each of the others";
    EXPECT_EQ(bounds::packets_over(ways, 5), 6);
    EXPECT_EQ(bounds::first_of(ways, 2), (WaysTo{{2, 1}, {5, 1}}));
}

bounds::Count flow_bound(const std::string& spec, std::string_view ports, std::uint64_t packets) {
    const Machine machine = machine_of(spec, ports, "sf", false);
    Collective collective = Collective::broadcast(0, 1);
    collective.packets_each = packets;
    const auto reason = bounds::flow_over_time(bounds::facts_of(machine, collective));
    EXPECT_TRUE(reason.has_value()) << spec;
    return reason ? reason->value : 0;
}

// model.md section 13.1: the formula of a torus is the flow to its slowest node, for any number of sides and with sides of two.
TEST(FlowOverTime, OnToriIsTheFlowToTheSlowestNode) {
    for (const std::string spec : {"ring:4", "ring:5", "torus:3x3", "torus:3x4", "torus:4x5", "torus:2x3", "torus:2x4",
                                   "torus:2x2x3", "torus:2x3x3", "torus:3x3x3", "torus:3x1x4", "torus:2x2x5",
                                   "torus:3x3x4", "kary-cube:3,3", "torus:2x7", "torus:2x2x2x3"}) {
        const auto graph = make_topology(spec);
        for (const std::string ports : {"2", "3", "4", "all"}) {
            const std::uint64_t k = ports == "all" ? graph->max_degree() : parse_count(ports, "ports");
            for (const std::uint64_t packets : {2U, 3U, 4U, 5U, 6U, 11U, 25U})
                EXPECT_EQ(flow_bound(spec, ports, packets), rounds_by_ways(*graph, 0, k, packets))
                    << spec << ", " << ports << " ports, " << packets << " packets";
        }
    }
    EXPECT_EQ(flow_bound("complete:6", "all", 7), rounds_by_ways(*make_topology("complete:6"), 0, 5, 7));
}

// The last departure, the slowest receiver and the cut vertex say as much there, at less cost.
TEST(FlowOverTime, IsLeftOutWhereOtherArgumentsSayAsMuch) {
    for (const std::string spec : {"mesh:3x4", "mesh:2x5", "mesh:3x3x3", "mesh:2x3x4", "hypercube:4", "complete:7",
                                   "cbt:3", "star:6", "line:5", "mesh:5x5", "ring:7"})
        for (const std::string ports : {"1", "2", "3", "4", "all"}) {
            const Machine machine = machine_of(spec, ports, "sf", false);
            const Topology& graph = *machine.topology;
            for (NodeId source = 0; source < graph.nodes(); ++source)
                for (const std::uint64_t packets : {2U, 3U, 5U, 12U}) {
                    Collective collective = Collective::broadcast(source, 1);
                    collective.packets_each = packets;
                    EXPECT_GE(value_of(lower_bounds(machine, collective)[Quantity::rounds]),
                              rounds_by_ways(graph, source, machine.widest(), packets))
                        << spec << " from " << source << ", " << ports << " ports, " << packets << " packets";
                }
        }
}

/// Two complete graphs of 300 nodes and a link from each of two nodes of one to one of the other.
class TwoCliques : public Topology {
  public:
    TwoCliques() : Topology("two-cliques", 2 * side, side) {}
    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const NodeId base = v < side ? 0 : side;
        if (p < side - 1) return {base + (v - base + 1 + p) % side, static_cast<Port>(side - 2 - p)};
        if ((v - base) % (side / 2) == 0) return {(v + side) % (2 * side), side - 1};
        return {};
    }

  private:
    static constexpr Port side = 300;
};

TEST(FlowOverTime, IsKnownOfAnyNumberOfPacketsAndOfLargerGraphs) {
    Machine machine = machine_of("ring:3", "all", "sf", false);
    machine.topology = std::make_shared<TwoCliques>();
    Collective collective = Collective::broadcast(5, 1);
    for (const std::uint64_t packets : {200U, 2'000'000'000U}) {
        collective.packets_each = packets;
        const auto reason = bounds::flow_over_time(bounds::facts_of(machine, collective));
        ASSERT_TRUE(reason.has_value());
        EXPECT_EQ(reason->value, packets / 2 + 2) << "two links, and one before and one after them";
        EXPECT_THAT(reason->name, testing::StartsWith(fmt::format("flow over time: {} packets to node ", packets)));
    }
}

}  // namespace
}  // namespace kport
