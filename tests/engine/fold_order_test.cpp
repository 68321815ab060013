#include <vector>

#include <gtest/gtest.h>

#include "emulator/engine/fold_order.hpp"

namespace kport {
namespace {

TEST(TheOrderOfFolds, GoesByTheLowestOfAllContributionsOfAValueWhereverItStands) {
    EXPECT_EQ(lowest_of(std::vector<PacketBlock>{{5, 2}}), 5U);
    EXPECT_EQ(lowest_of(std::vector<PacketBlock>{{5, 2}, {2, 1}, {9, 1}}), 2U);
    EXPECT_EQ(lowest_of(std::vector<PacketBlock>{{9, 1}, {5, 2}, {2, 1}}), 2U);
}

TEST(TheOrderOfFolds, BeginsWithWhatIsNearestToTheNodeBelowOrAbove) {
    EXPECT_EQ(distance_in_order(5, 2), 3U);
    EXPECT_EQ(distance_in_order(5, 5), 0U);
    EXPECT_EQ(distance_in_order(5, 8), 3U);
    EXPECT_LT(distance_in_order(5, 6), distance_in_order(5, 3));
    EXPECT_LT(distance_in_order(5, 4), distance_in_order(5, 7));
}

}  // namespace
}  // namespace kport
