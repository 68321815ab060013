#include "algorithms/bounds/counting.hpp"

#include <gtest/gtest.h>

namespace kport::bounds {
namespace {

TEST(CeilLog, IsTheSmallestPowerThatIsEnough) {
    for (std::uint64_t base = 2; base <= 9; ++base) {
        for (std::uint64_t n = 1; n <= 3000; ++n) {
            std::uint64_t power = 1;
            for (std::uint64_t i = 0; i < ceil_log(base, n); ++i) power *= base;
            EXPECT_GE(power, n);
            EXPECT_LT(power / base, n);
        }
    }
}

TEST(CeilLog, IsExactBeyond32Bits) {
    const std::uint64_t most = std::uint64_t{1} << 40;
    EXPECT_EQ(ceil_log(2, most), 40U);
    EXPECT_EQ(ceil_log(2, most - 1), 40U);
    EXPECT_EQ(ceil_log(2, most / 2 + 1), 40U);
    EXPECT_EQ(ceil_log(2, most / 2), 39U);
    EXPECT_EQ(ceil_log(most, most), 1U);
    EXPECT_EQ(ceil_log(3, 12157665459056928801U), 40U) << "3^40";
    EXPECT_EQ(ceil_log(3, 12157665459056928802U), 41U);
    EXPECT_EQ(ceil_log(2, ~std::uint64_t{0}), 64U);
}

TEST(CeilDiv, Rounds) {
    EXPECT_EQ(static_cast<int>(ceil_div(0, 3)), 0);
    EXPECT_EQ(static_cast<int>(ceil_div(6, 3)), 2);
    EXPECT_EQ(static_cast<int>(ceil_div(7, 3)), 3);
}

/// By recursion: a holder either waits a round, or one of its `ports` messages continues the chain.
std::uint64_t counted_slowly(std::uint64_t least_hops, std::uint64_t rounds, std::uint64_t ports) {
    if (rounds == 0) return least_hops == 0 ? 1 : 0;
    return counted_slowly(least_hops, rounds - 1, ports) +
           ports * counted_slowly(least_hops == 0 ? 0 : least_hops - 1, rounds - 1, ports);
}

TEST(ReachableOver, CountsChainsAndStopsWhenItIsEnough) {
    for (std::uint64_t ports = 1; ports <= 3; ++ports)
        for (std::uint64_t rounds = 0; rounds <= 8; ++rounds)
            for (std::uint64_t hops = 0; hops <= rounds + 1; ++hops) {
                const std::uint64_t all = counted_slowly(hops, rounds, ports);
                EXPECT_EQ(reachable_over(hops, rounds, ports, 1000000), all);
                EXPECT_EQ(reachable_over(hops, rounds, ports, 5), std::min<std::uint64_t>(all, 5));
            }
    EXPECT_EQ(reachable_over(std::uint64_t{1} << 40, std::uint64_t{1} << 40, 1, 2), 1U);
    EXPECT_EQ(reachable_over(10, std::uint64_t{1} << 40, 40, std::uint64_t{1} << 40), std::uint64_t{1} << 40);
}

}  // namespace
}  // namespace kport::bounds
