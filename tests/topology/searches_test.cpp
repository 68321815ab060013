// What topologies find by search: kept, found again, found by many threads, refused where it does not fit.
#include <atomic>
#include <string>
#include <thread>
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
