#include <vector>

#include <gtest/gtest.h>

#include "emulator/node/fold_order.hpp"

namespace kport {
namespace {

TEST(TheOrderOfFolds, GoesByTheLowestOfAllContributionsOfAValueWhereverItStands) {
    EXPECT_EQ(lowest_of(std::vector<PacketBlock>{{5, 2}}), 5U);
    EXPECT_EQ(lowest_of(std::vector<PacketBlock>{{5, 2}, {2, 1}, {9, 1}}), 2U);
    EXPECT_EQ(lowest_of(std::vector<PacketBlock>{{9, 1}, {5, 2}, {2, 1}}), 2U);
}

TEST(TheOrderOfFolds, BeginsWithWhatIsNearestToTheNodeAndOfTwoAsNearWithTheOneBelow) {
    EXPECT_LT(place_in_order(5, 5), place_in_order(5, 4));
    EXPECT_LT(place_in_order(5, 6), place_in_order(5, 3));
    EXPECT_LT(place_in_order(5, 4), place_in_order(5, 7));
    EXPECT_LT(place_in_order(5, 2), place_in_order(5, 8));
}

}  // namespace
}  // namespace kport
