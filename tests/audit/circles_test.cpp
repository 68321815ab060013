/// @file circles_test.cpp   Deadlocks: cycles of waiting nodes.
#include "emulator/audit/circles.hpp"

#include <gtest/gtest.h>

namespace kport {
namespace {

Violation waits(NodeId node, NodeId for_node) {
    Violation v;
    v.breach = Breach::waits_for_ever;
    v.node = node;
    v.other = for_node;
    return v;
}

using Circles = std::vector<std::vector<NodeId>>;

TEST(WaitingCircles, NameTheCircleFromItsLowestNode) {
    EXPECT_EQ(waiting_circles({waits(6, 2), waits(2, 4), waits(4, 6)}), (Circles{{2, 4, 6}}));
}

TEST(WaitingCircles, LeaveOutTheNodesThatOnlyLeadIntoACircle) {
    EXPECT_EQ(waiting_circles({waits(0, 1), waits(1, 2), waits(2, 1), waits(3, 0)}), (Circles{{1, 2}}));
}

TEST(WaitingCircles, FindEachOfSeveralOnce) {
    EXPECT_EQ(waiting_circles({waits(5, 4), waits(4, 5), waits(1, 0), waits(0, 1), waits(9, 4)}),
              (Circles{{0, 1}, {4, 5}}));
}

TEST(WaitingCircles, BeginAtTheLowestNodeForAnyWayIn) {
    EXPECT_EQ(waiting_circles({waits(0, 5), waits(5, 3), waits(3, 5)}), (Circles{{3, 5}}));
    EXPECT_EQ(waiting_circles({waits(0, 8), waits(7, 8), waits(8, 7), waits(1, 2), waits(2, 1)}),
              (Circles{{1, 2}, {7, 8}}));
}

TEST(WaitingCircles, AreMadeOfWaitsAlone) {
    Violation again = waits(0, 1);
    again.breach = Breach::received_again;
    EXPECT_TRUE(waiting_circles({again, waits(1, 0)}).empty());
}

TEST(WaitingCircles, AreNoneIfTheChainEndsAtANodeThatDoesNotWait) {
    EXPECT_TRUE(waiting_circles({waits(0, 1), waits(1, 2)}).empty());
    Violation by_any_port = waits(3, no_node);
    EXPECT_TRUE(waiting_circles({by_any_port}).empty());
}

TEST(WaitingCircles, LeaveOutANodeOfWhichSeveralStrandsWait) {
    EXPECT_TRUE(waiting_circles({waits(0, 1), waits(1, 0), waits(1, 2)}).empty());
    EXPECT_EQ(waiting_circles({waits(0, 1), waits(0, 3), waits(2, 3), waits(3, 2)}), (Circles{{2, 3}}));
}

TEST(WaitingCircles, AreCutShortFromTheNinthNodeOn) {
    const auto ring = make_topology("ring:20");
    std::vector<NodeId> circle = {0, 1, 2, 3, 4, 5, 6, 7};
    const std::string seven =
        "node 0 waits for node 1, node 1 waits for node 2, node 2 waits for node 3, node 3 waits for node 4, "
        "node 4 waits for node 5, node 5 waits for node 6, node 6 waits for node 7, ";
    EXPECT_EQ(tell_circle(circle, *ring), seven + "node 7 waits for node 0");
    circle.push_back(8);
    EXPECT_EQ(tell_circle(circle, *ring), seven + "and so on through 9 nodes, node 8 waits for node 0");
}

TEST(WaitingCircles, AreDescribedNodeByNode) {
    const auto ring = make_topology("ring:20");
    EXPECT_EQ(tell_circle({2, 6}, *ring), "node 2 waits for node 6, node 6 waits for node 2");
    std::vector<NodeId> all(20);
    for (NodeId v = 0; v < 20; ++v) all[v] = v;
    EXPECT_EQ(tell_circle(all, *ring),
              "node 0 waits for node 1, node 1 waits for node 2, node 2 waits for node 3, node 3 waits for node 4, "
              "node 4 waits for node 5, node 5 waits for node 6, node 6 waits for node 7, and so on through 20 nodes, "
              "node 19 waits for node 0");
}

}  // namespace
}  // namespace kport
