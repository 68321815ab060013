/// @file world_test.cpp   The assignment of nodes to partitions, the count of claims, and marks of nodes.
#include <vector>

#include <gtest/gtest.h>

#include "emulator/engine/node_marks.hpp"
#include "emulator/engine/world.hpp"

namespace kport {
namespace {

TEST(ADeal, GivesEachNodeToOnePartition) {
    for (const NodeId nodes : {1U, 4095U, 4096U, 8191U, 8192U, 12288U, 40000U, 262143U, 262144U, 300000U}) {
        const Deal deal(nodes);
        std::vector<unsigned> visits(nodes);
        for (unsigned partition = 0; partition < deal.partitions(); ++partition)
            deal.for_each(partition, nodes, [&](NodeId v) {
                ASSERT_LT(v, nodes);
                ++visits[v];
                ASSERT_EQ(deal.home(v), partition) << "node " << v << " of " << nodes;
            });
        EXPECT_EQ(visits, std::vector<unsigned>(nodes, 1)) << nodes;
    }
}

TEST(ADeal, IsInBlocksOf4096NodesToAtMost64Partitions) {
    const auto partitions = [](NodeId nodes) { return Deal(nodes).partitions(); };
    EXPECT_EQ(partitions(1), 1U);
    EXPECT_EQ(partitions(2 * 4096 - 1), 1U) << "less than two blocks";
    EXPECT_EQ(partitions(2 * 4096), 2U);
    EXPECT_EQ(partitions(4 * 4096 - 1), 2U) << "a power of 2";
    EXPECT_EQ(partitions(4 * 4096), 4U);
    EXPECT_EQ(partitions(64 * 4096), 64U);
    EXPECT_EQ(partitions(1'000'000'000), 64U);
    EXPECT_EQ(Deal(4 * 4096).home(4095), 0U);
    EXPECT_EQ(Deal(4 * 4096).home(4096), 1U);
    EXPECT_EQ(Deal(9 * 4096).home(8 * 4096), 0U) << "in turn";
}

TEST(ADeal, InBlocksOfOneNodeGivesSmallMachinesSeveralPartitions) {
    for (NodeId nodes = 1; nodes <= 200; ++nodes)
        for (const NodeId block : {1U, 2U, 3U, 4U, 64U}) {
            const Deal deal(nodes, block);
            EXPECT_EQ(deal.block(), block == 3 ? 4U : block) << "a power of two";
            std::vector<unsigned> visits(nodes);
            for (unsigned partition = 0; partition < deal.partitions(); ++partition)
                deal.for_each(partition, nodes, [&](NodeId v) {
                    ++visits[v];
                    ASSERT_EQ(deal.home(v), partition) << "node " << v << " of " << nodes;
                });
            EXPECT_EQ(visits, std::vector<unsigned>(nodes, 1)) << nodes;
        }
    EXPECT_EQ(Deal(3, 1).partitions(), 2U);
    EXPECT_EQ(Deal(4, 1).partitions(), 4U);
    EXPECT_EQ(Deal(1, 1).partitions(), 1U);
    EXPECT_EQ(Deal(500, 1).partitions(), 64U);
}

TEST(Claims, BeginAnewInEachRound) {
    Claims claims{};
    EXPECT_EQ(claims.add(1), 1U);
    EXPECT_EQ(claims.add(1), 2U);
    EXPECT_EQ(claims.add(5), 1U);
    EXPECT_EQ(claims.add(5), 2U);
    EXPECT_EQ(claims.count(5), 2U);
    EXPECT_EQ(claims.count(6), 0U) << "of another round";
    claims.restart(5);
    EXPECT_EQ(claims.count(5), 0U);
    EXPECT_EQ(claims.add(6), 1U);
}

TEST(NodeMarks, TellWhetherANodeOccursTwiceAndForgetIt) {
    constexpr NodeId nodes = 200;
    const Deal deal(nodes, 4);
    for (const unsigned takers : {1U, deal.partitions()})
        for (unsigned taker = 0; taker < takers; ++taker) {
            const NodeShare share = deal.share(takers, taker);
            NodeMarks marks(nodes, share);
            const auto each_and = [&](NodeId twice) {
                return marks.has_twice([&](auto&& visit) {
                    share.for_each(nodes, visit);
                    if (twice != no_node) visit(twice);
                });
            };
            EXPECT_FALSE(each_and(no_node));
            share.for_each(nodes, [&](NodeId v) {
                EXPECT_TRUE(each_and(v)) << v;
                EXPECT_FALSE(each_and(no_node)) << "nothing is left of " << v;
            });
        }
}

}  // namespace
}  // namespace kport
