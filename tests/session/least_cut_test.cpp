/// @file least_cut_test.cpp   The least over all cuts, found without a look at each.
#include "app/session/cutting.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace kport::test {
namespace {

std::uint64_t size_of_packet(std::uint64_t units, std::uint64_t packets) { return (units + packets - 1) / packets; }

/// ceil(M / q) + c rounds, each of a startup and of the units of a packet.
struct StepCurve {
    std::uint64_t q;
    std::uint64_t c;
    double startup;

    [[nodiscard]] double operator()(std::uint64_t packets, std::uint64_t size) const {
        return static_cast<double>((packets + q - 1) / q + c) * (startup + static_cast<double>(size));
    }
};

TEST(LeastCut, IsThatOfAllCutsOfARandomStepFunction) {
    std::mt19937 random(1);
    const auto up_to = [&](std::uint64_t most) {
        return std::uniform_int_distribution<std::uint64_t>(0, most)(random);
    };
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t units = 1 + up_to(2000);
        const std::uint64_t most = 1 + up_to(units - 1);
        const StepCurve curve{1 + up_to(7), up_to(30), static_cast<double>(up_to(40))};
        double least = std::numeric_limits<double>::infinity();
        for (std::uint64_t packets = 1; packets <= most; ++packets)
            least = std::min(least, curve(packets, size_of_packet(units, packets)));
        const auto least_from = [&](std::uint64_t low, std::uint64_t high) {
            return curve(low, size_of_packet(units, high));
        };
        EXPECT_DOUBLE_EQ(least_over_cuts(units, most, least_from, 100'000), least) << units << " " << most;
    }
}

TEST(LeastCut, LooksAtFewCutsOfALargeMessage) {
    const StepCurve curve{4, 9, 1000};
    int looks = 0;
    const auto least_from = [&](std::uint64_t low, std::uint64_t high) {
        ++looks;
        return curve(low, size_of_packet(1'000'000, high));
    };
    (void)least_over_cuts(1'000'000, 1'000'000, least_from, 100'000);
    EXPECT_LT(looks, 1000);
}

TEST(LeastCut, IsABoundOfAllCutsWhereTheTriesEnd) {
    const StepCurve curve{4, 9, 1000};
    const auto least_from = [&](std::uint64_t low, std::uint64_t high) {
        return curve(low, size_of_packet(1'000'000, high));
    };
    const double least = least_over_cuts(1'000'000, 1'000'000, least_from, 100'000);
    const double bound = least_over_cuts(1'000'000, 1'000'000, least_from, 3);
    EXPECT_LE(bound, least);
    EXPECT_GT(bound, 0);
}

TEST(LeastCut, IsAmongTheFewestPacketsOfEachSize) {
    for (std::uint64_t units = 1; units <= 200; ++units) {
        std::set<std::uint64_t> sizes;
        for (std::uint64_t packets = 1; packets <= units; ++packets) sizes.insert(size_of_packet(units, packets));
        const auto cuts = cuts_between(units, 1, units, 1000);
        ASSERT_TRUE(cuts);
        EXPECT_EQ(cuts->size(), sizes.size()) << units;
        for (const std::uint64_t packets : *cuts)
            EXPECT_TRUE(packets == 1 || size_of_packet(units, packets - 1) > size_of_packet(units, packets)) << packets;
    }
    EXPECT_FALSE(cuts_between(1000, 1, 1000, 20));
}

}  // namespace
}  // namespace kport::test
