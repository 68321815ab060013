/// @file node_share_test.cpp   Nodes dealt to takers: each node is one taker's, and has a place of its own there.
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/base/node_share.hpp"

namespace kport {
namespace {

TEST(AShareOfTheNodes, OfASingleTakerHasAllAtTheirNumbers) {
    for (const NodeShare& share : {NodeShare(), NodeShare(2, 8, 1, 0)}) {
        EXPECT_EQ(share.places(100), 100U);
        for (NodeId v = 0; v < 100; ++v) {
            EXPECT_TRUE(share.contains(v));
            EXPECT_EQ(share.place(v), v);
        }
    }
}

TEST(AShareOfTheNodes, HasEveryTakersthBlockOfATurn) {
    const NodeShare second(1, 4, 3, 1);  // blocks of two nodes, dealt to hands 0 to 3, of which hand 1 is the second's
    std::vector<NodeId> own;
    second.for_each(20, [&](NodeId v) { own.push_back(v); });
    EXPECT_EQ(own, (std::vector<NodeId>{2, 3, 10, 11, 18, 19}));
    EXPECT_EQ(second.own(), 2U);
    EXPECT_EQ(second.places(20), 6U);
    EXPECT_EQ(second.place(18), 4U);
}

RC_GTEST_PROP(SharesOfTheNodes, HaveEachNodeOnceAndPlacesOneAfterTheOther, ()) {
    const auto block_bits = *rc::gen::inRange<unsigned>(0, 5);
    const unsigned hands = 1U << *rc::gen::inRange<unsigned>(0, 7);
    const auto takers = *rc::gen::inRange<unsigned>(1, 70);
    const NodeId nodes = NodeId{hands} << block_bits << *rc::gen::inRange<unsigned>(0, 3);
    std::vector<unsigned> taken(nodes);
    for (unsigned taker = 0; taker < takers; ++taker) {
        const NodeShare share(block_bits, hands, takers, taker);
        NodeId next = 0;
        share.for_each(nodes, [&](NodeId v) {
            RC_ASSERT(share.contains(v));
            RC_ASSERT(share.place(v) == next++);
            ++taken[v];
        });
        RC_ASSERT(share.places(nodes) == next);
        for (const NodeId some : {NodeId{1}, nodes - 1, nodes / 2 + 1})
            share.for_each(some, [&](NodeId v) { RC_ASSERT(share.place(v) < share.places(some)); });
    }
    RC_ASSERT(taken == std::vector<unsigned>(nodes, 1));
}

TEST(AnArrayOfNodes, TakesNoMoreThanItsShare) {
    const NodeShare third(0, 8, 3, 2);  // hands 2 and 5
    NodeArray<int> array(16, third);
    third.for_each(16, [&](NodeId v) { array[v] = static_cast<int>(v); });
    third.for_each(16, [&](NodeId v) { EXPECT_EQ(array[v], static_cast<int>(v)); });
    EXPECT_FALSE(array.empty());
    EXPECT_TRUE(NodeArray<int>(0, third).empty());
    EXPECT_EQ(third.places(16), 4U);
}

}  // namespace
}  // namespace kport
