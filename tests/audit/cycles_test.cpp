/// @file cycles_test.cpp   Deadlocks: cycles of waiting nodes.
#include "emulator/audit/violation.hpp"

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

using Cycles = std::vector<std::vector<NodeId>>;

TEST(WaitingCycles, NameTheCycleFromItsLowestNode) {
    EXPECT_EQ(waiting_cycles({waits(6, 2), waits(2, 4), waits(4, 6)}), (Cycles{{2, 4, 6}}));
}

TEST(WaitingCycles, LeaveOutTheNodesThatOnlyLeadIntoACycle) {
    EXPECT_EQ(waiting_cycles({waits(0, 1), waits(1, 2), waits(2, 1), waits(3, 0)}), (Cycles{{1, 2}}));
}

TEST(WaitingCycles, FindEachOfSeveralOnce) {
    EXPECT_EQ(waiting_cycles({waits(5, 4), waits(4, 5), waits(1, 0), waits(0, 1), waits(9, 4)}),
              (Cycles{{0, 1}, {4, 5}}));
}

TEST(WaitingCycles, BeginAtTheLowestNodeForAnyWayIn) {
    EXPECT_EQ(waiting_cycles({waits(0, 5), waits(5, 3), waits(3, 5)}), (Cycles{{3, 5}}));
    EXPECT_EQ(waiting_cycles({waits(0, 8), waits(7, 8), waits(8, 7), waits(1, 2), waits(2, 1)}),
              (Cycles{{1, 2}, {7, 8}}));
}

TEST(WaitingCycles, AreMadeOfWaitsAlone) {
    Violation again = waits(0, 1);
    again.breach = Breach::received_again;
    EXPECT_TRUE(waiting_cycles({again, waits(1, 0)}).empty());
}

TEST(WaitingCycles, AreNoneIfTheChainEndsAtANodeThatDoesNotWait) {
    EXPECT_TRUE(waiting_cycles({waits(0, 1), waits(1, 2)}).empty());
    Violation by_any_port = waits(3, no_node);
    EXPECT_TRUE(waiting_cycles({by_any_port}).empty());
}

TEST(WaitingCycles, LeaveOutANodeOfWhichSeveralStrandsWait) {
    EXPECT_TRUE(waiting_cycles({waits(0, 1), waits(1, 0), waits(1, 2)}).empty());
    EXPECT_EQ(waiting_cycles({waits(0, 1), waits(0, 3), waits(2, 3), waits(3, 2)}), (Cycles{{2, 3}}));
}

TEST(WaitingCycles, AreCutShortFromTheNinthNodeOn) {
    const auto ring = make_topology("ring:20");
    std::vector<NodeId> cycle = {0, 1, 2, 3, 4, 5, 6, 7};
    const std::string seven =
        "node 0 waits for node 1, node 1 waits for node 2, node 2 waits for node 3, node 3 waits for node 4, "
        "node 4 waits for node 5, node 5 waits for node 6, node 6 waits for node 7, ";
    EXPECT_EQ(cycle_in_words(cycle, *ring), seven + "node 7 waits for node 0");
    cycle.push_back(8);
    EXPECT_EQ(cycle_in_words(cycle, *ring), seven + "and so on through 9 nodes, node 8 waits for node 0");
}

TEST(WaitingCycles, AreDescribedNodeByNode) {
    const auto ring = make_topology("ring:20");
    EXPECT_EQ(cycle_in_words({2, 6}, *ring), "node 2 waits for node 6, node 6 waits for node 2");
    std::vector<NodeId> all(20);
    for (NodeId v = 0; v < 20; ++v) all[v] = v;
    EXPECT_EQ(cycle_in_words(all, *ring),
              "node 0 waits for node 1, node 1 waits for node 2, node 2 waits for node 3, node 3 waits for node 4, "
              "node 4 waits for node 5, node 5 waits for node 6, node 6 waits for node 7, and so on through 20 nodes, "
              "node 19 waits for node 0");
}

}  // namespace
}  // namespace kport
