// What topologies find by search: kept, found again, found by many threads, refused where it does not fit.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/topology/topology.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/topology/reference.hpp"

namespace kport {
namespace {

TEST(Searches, AnswerAlikeAfterOlderTablesHaveMadeRoom) {
    if (test::under_sanitizer) GTEST_SKIP() << "140 searches of 2^17 nodes";
    const auto tree = make_topology("random-tree:131072,1");  // 512 KiB a table, of which 64 MiB are kept
    std::vector<Hops> eccentricities;
    for (NodeId v = 0; v < 140; ++v) eccentricities.push_back(tree->eccentricity(v * 900));
    for (NodeId v = 0; v < 3; ++v) {
        EXPECT_EQ(tree->eccentricity(v * 900), eccentricities[v]);
        EXPECT_EQ(tree->distance(v * 900, 0), tree->distance(0, v * 900));
    }
}

TEST(Searches, AreMadeByManyThreadsAtOnce) {
    const auto graph = make_topology("random-regular:3,200,1");
    const test::Reference reference(*graph);
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> threads;
    for (NodeId first = 0; first < 4; ++first)
        threads.emplace_back([&, first] {
            for (NodeId v = first; v < 200; v += 2)
                for (NodeId w = 0; w < 200; ++w) wrong += graph->distance(v, w) == reference.distance(v, w) ? 0 : 1;
            if (graph->diameter() != reference.diameter() || graph->bipartite() != reference.bipartite()) ++wrong;
        });
    threads.clear();
    EXPECT_EQ(wrong, 0);
}

/// A graph that counts how often it is asked.
class Asked final : public Topology {
  public:
    explicit Asked(std::shared_ptr<const Topology> graph)
        : Topology(graph->spec(), graph->nodes(), graph->ports()), graph_(std::move(graph)) {}
    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        ++asked;
        return graph_->across(v, p);
    }
    [[nodiscard]] Port degree(NodeId v) const override { return graph_->degree(v); }

    mutable std::atomic<std::uint64_t> asked = 0;

  private:
    std::shared_ptr<const Topology> graph_;
};

TEST(Searches, OfAWayNameTheLowestPortThatLeadsNearer) {
    for (const char* spec :
         {"random-regular:3,120,1", "random-tree:90,2", "random-connected:60,90,3", "debruijn:2,6"}) {
        const auto graph = make_topology(spec);
        const test::Reference reference(*graph);
        for (int again = 0; again < 2; ++again)  // by a search, then by a table
            for (NodeId v = 0; v < graph->nodes(); ++v)
                for (NodeId w = graph->nodes(); w-- > 0;) {
                    if (v == w) continue;
                    Port lowest = 0;
                    while (graph->across(v, lowest).node == no_node ||
                           reference.distance(graph->across(v, lowest).node, w) >= reference.distance(v, w))
                        ++lowest;
                    ASSERT_EQ(graph->route(v, w), lowest) << spec << ", from " << v << " to " << w;
                }
    }
}

TEST(Searches, OfAWayInARandomGraphLookAtFewNodes) {
    const Asked graph(make_topology("random-regular:3,10000,1"));
    (void)graph.route(0, 1);  // from now on it is known that there is no formula
    graph.asked = 0;
    constexpr NodeId ways = 50;
    for (NodeId v = 0; v < ways; ++v)
        for (NodeId at = v, to = graph.nodes() - 1 - v; at != to;) at = graph.across(at, graph.route(at, to)).node;
    EXPECT_LT(graph.asked, ways * graph.nodes() / 2) << "a table of distances asks 3 a node";
}

template <class Ask>
std::string refusal_of_search(const Ask& ask) {
    try {
        (void)ask();
    } catch (const DoesNotFit& error) {
        return error.what();
    }
    return "answered";
}

TEST(Searches, AreRefusedWhereTheyDoNotFit) {
    const auto circle = make_topology("circulant:1000000000000,1,2");
    EXPECT_EQ(circle->channels(), 4000000000000U);
    EXPECT_EQ(
        refusal_of_search([&] { return circle->eccentricity(0); }),
        "distances in circulant:1000000000000,1,2 take a search of its 1000000000000 nodes; a search takes at most "
        "268435456");
    const auto tree = make_topology("random-tree:1000000,1");
    EXPECT_EQ(
        refusal_of_search([&] { return tree->diameter(); }),
        "diameter and radius of random-tree:1000000,1 take a search from each of its 1000000 nodes, and that takes too "
        "long");
    EXPECT_GT(tree->eccentricity(0), 10U);
}

}  // namespace
}  // namespace kport
