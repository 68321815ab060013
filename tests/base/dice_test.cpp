/// @file dice_test.cpp   Repeatable random numbers: the sequence of words, and what is derived from them.
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "emulator/base/random.hpp"

namespace kport {
namespace {

TEST(Dice, ThrowTheWordsOfTheirSeedOneAfterTheOther) {
    Dice dice(7);
    EXPECT_EQ(dice.word(), random_word(7, 0, 1));
    EXPECT_EQ(dice.word(), random_word(7, 0, 2));
    EXPECT_NE(Dice(8).word(), random_word(7, 0, 1));
}

TEST(Dice, ThrowEachNumberBetweenBothEnds) {
    Dice dice(1);
    std::set<std::uint64_t> below;
    std::set<std::uint64_t> between;
    std::set<int> one_of;
    const std::vector<int> things{3, 1, 4};
    for (int i = 0; i < 300; ++i) {
        below.insert(dice.below(3));
        between.insert(dice.between(5, 8));
        one_of.insert(dice.one_of(std::span<const int>(things)));
    }
    EXPECT_EQ(below, (std::set<std::uint64_t>{0, 1, 2}));
    EXPECT_EQ(between, (std::set<std::uint64_t>{5, 6, 7, 8}));
    EXPECT_EQ(one_of, (std::set<int>{1, 3, 4}));
}

TEST(Dice, HaveAnEventHappenWithItsProbability) {
    // A word is a number from 0 to below 1, of 53 bits.
    const double thrown = static_cast<double>(random_word(7, 0, 1) / 2048) / 9007199254740992.0;
    EXPECT_FALSE(Dice(7).happens(thrown));
    EXPECT_TRUE(Dice(7).happens(std::nextafter(thrown, 1.0)));
}

TEST(Dice, ShuffleUniformlyWithOneWordLessThanElements) {
    Dice dice(5);
    std::map<std::vector<int>, int> orders;
    for (int i = 0; i < 600; ++i) {
        std::vector<int> list{1, 2, 3};
        dice.shuffle(list);
        ++orders[list];
    }
    EXPECT_EQ(orders.size(), 6U);
    for (const auto& [order, times] : orders) {
        EXPECT_GT(times, 50);
        EXPECT_TRUE(std::set<int>(order.begin(), order.end()) == (std::set<int>{1, 2, 3}));
    }
    EXPECT_EQ(dice.word(), random_word(5, 0, 1201));
}

}  // namespace
}  // namespace kport
