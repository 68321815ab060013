/// @file statistics_test.cpp   Medians and intervals, by hand and against the binomial distribution.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "app/chip/sampling.hpp"

namespace kport::chip {
namespace {

TEST(Statistics, OfOneSampleAreThatSampleWithoutConfidence) {
    const Statistics one = statistics_of({7});
    EXPECT_EQ(one.count, 1U);
    EXPECT_EQ(one.least, 7);
    EXPECT_EQ(one.median, 7);
    EXPECT_EQ(one.low, 7);
    EXPECT_EQ(one.high, 7);
    EXPECT_EQ(one.coverage, 0);
}

/// 1 - 2 / 2^n: all samples on one side of the median.
TEST(Statistics, OfFewSamplesSpanAllOfThemAndGiveTheirConfidence) {
    const Statistics three = statistics_of({5, 1, 3});
    EXPECT_EQ(three.median, 3);
    EXPECT_EQ(three.low, 1);
    EXPECT_EQ(three.high, 5);
    EXPECT_DOUBLE_EQ(three.coverage, 0.75);
    EXPECT_DOUBLE_EQ(statistics_of({1, 2, 3, 4, 5}).coverage, 0.9375);
    EXPECT_DOUBLE_EQ(statistics_of({1, 2, 3, 4, 5, 6}).coverage, 0.96875);
}

TEST(Statistics, OfTwentySamplesSpanTheSixthToTheFifteenth) {
    std::vector<double> samples;
    for (int i = 20; i >= 1; --i) samples.push_back(i);
    const Statistics twenty = statistics_of(samples);
    EXPECT_EQ(twenty.least, 1);
    EXPECT_EQ(twenty.median, 10.5);
    EXPECT_EQ(twenty.low, 6);
    EXPECT_EQ(twenty.high, 15);
    // C(20, 0) + ... + C(20, 5) = 21700
    EXPECT_NEAR(twenty.coverage, 1 - 2 * 21700 / std::pow(2, 20), 1e-12);
}

/// The places 1 + left_out and n - left_out of the usual tables for the median at 95 %.
TEST(Interval, HasThePlacesOfTheTables) {
    for (const auto& [count, first] :
         {std::pair{6, 1}, {8, 1}, {9, 2}, {11, 2}, {12, 3}, {15, 4}, {25, 8}, {50, 18}, {70, 27}})
        EXPECT_EQ(left_out_of_interval(static_cast<std::size_t>(count)).first + 1, static_cast<std::size_t>(first))
            << count;
}

/// The normal approximation: n/2 - 0.98 sqrt(n).
TEST(Interval, OfManySamplesIsNarrow) {
    const auto [left_out, coverage] = left_out_of_interval(10'000);
    EXPECT_NEAR(static_cast<double>(left_out), 5000 - 98, 2);
    EXPECT_GE(coverage, 0.95);
    EXPECT_LT(coverage, 0.96);
}

}  // namespace
}  // namespace kport::chip
