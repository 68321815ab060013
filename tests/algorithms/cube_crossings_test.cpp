/// @file cube_crossings_test.cpp   Plans on hypercubes that are the same from every node: rotations and koenig.
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/support/cube_crossings.hpp"

namespace kport {
namespace {

/// A packet crosses the dimensions of its address one by one, in ascending rounds; a round crosses no dimension twice.
void expect_lawful(const CubePlan& plan) {
    for (const std::vector<Crossing>& round : plan) {
        std::set<int> dimensions;
        for (const Crossing& crossing : round) {
            EXPECT_TRUE(dimensions.insert(crossing.dimension).second);
            const NodeId bit = NodeId{1} << crossing.dimension;
            EXPECT_NE(crossing.address & bit, 0U);
            EXPECT_EQ(crossing.crossed & bit, 0U);
            EXPECT_EQ(crossing.crossed & ~crossing.address, 0U);
        }
    }
}

TEST(RotationsPlan, BringsEachAddressItsPacketInTheLeastRoundsFromOneThatHasIt) {
    for (int n = 0; n <= rotations_max; ++n) {
        const CubePlan plan = rotations_plan(n);
        expect_lawful(plan);
        const std::size_t words = (std::size_t{1} << n) - 1;
        EXPECT_EQ(plan.size(), n == 0 ? 0 : (words + static_cast<std::size_t>(n) - 1) / static_cast<std::size_t>(n));
        std::vector<bool> has(words + 1, false);
        has[0] = true;
        std::size_t reached = 0;
        for (const std::vector<Crossing>& round : plan) {
            for (const Crossing& crossing : round) {
                EXPECT_EQ(crossing.crossed | (NodeId{1} << crossing.dimension), crossing.address);
                EXPECT_TRUE(has[crossing.crossed]) << "it is there since an earlier round";
                EXPECT_FALSE(has[crossing.address]);
            }
            for (const Crossing& crossing : round) has[crossing.address] = true;
            reached += round.size();
        }
        EXPECT_EQ(reached, words) << n;
    }
}

TEST(KoenigPlan, CrossesEachDimensionInEveryRoundAndLeadsEachAddressToItsEnd) {
    for (int n = 0; n <= 12; ++n) {
        const CubePlan plan = koenig_plan(n);
        expect_lawful(plan);
        EXPECT_EQ(plan.size(), (std::size_t{1} << n) / 2);
        std::vector<NodeId> crossed(std::size_t{1} << n, 0);
        for (const std::vector<Crossing>& round : plan) {
            EXPECT_EQ(round.size(), static_cast<std::size_t>(n));
            std::set<NodeId> addresses;
            for (const Crossing& crossing : round) {
                EXPECT_TRUE(addresses.insert(crossing.address).second) << "a packet crosses one link a round";
                EXPECT_EQ(crossing.crossed, crossed[crossing.address]);
                crossed[crossing.address] |= NodeId{1} << crossing.dimension;
            }
        }
        for (NodeId address = 0; address < crossed.size(); ++address) EXPECT_EQ(crossed[address], address);
    }
}

}  // namespace
}  // namespace kport
