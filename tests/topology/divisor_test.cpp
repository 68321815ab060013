#include "emulator/topology/divisor.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kport {
namespace {

constexpr std::uint64_t d_max = std::uint64_t{1} << 40;
constexpr std::uint64_t v_end = std::uint64_t{1} << 62;

TEST(Divisor, DividesAtAndBesideEveryMultipleAndPower) {
    for (std::uint64_t d = 1; d <= 2000; ++d)
        for (std::uint64_t v = 0; v <= 3 * d; ++v) ASSERT_EQ(Divisor(d).quotient(v), v / d) << v << " / " << d;
    for (int a = 0; a <= 40; ++a)
        for (int b = 0; b < 62; ++b)
            for (int i = -2; i <= 2; ++i)
                for (int j = -2; j <= 2; ++j) {
                    const std::uint64_t d = (std::uint64_t{1} << a) + static_cast<std::uint64_t>(i);
                    const std::uint64_t v = (std::uint64_t{1} << b) + static_cast<std::uint64_t>(j);
                    if (d == 0 || d > d_max || v >= v_end) continue;
                    ASSERT_EQ(Divisor(d).quotient(v), v / d) << v << " / " << d;
                }
}

TEST(Divisor, DividesTheLargestNumerators) {
    for (const std::uint64_t d : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{7}, d_max / 3, d_max - 1, d_max})
        for (std::uint64_t v = v_end - 1; v >= v_end - 100; --v) ASSERT_EQ(Divisor(d).quotient(v), v / d);
}

RC_GTEST_PROP(RandomDivisor, IsTheDivision, ()) {
    // A random number of bits first: uniform 64-bit numbers would nearly all be large.
    const std::uint64_t d = *rc::gen::inRange<std::uint64_t>(1, 2 + (d_max >> *rc::gen::inRange(1, 40)));
    const std::uint64_t quotient = *rc::gen::inRange<std::uint64_t>(1, 2 + (v_end >> *rc::gen::inRange(1, 62)) / d);
    for (const std::uint64_t v : {quotient * d - 1, quotient * d, quotient * d + 1})
        if (v < v_end) RC_ASSERT(Divisor(d).quotient(v) == v / d);
}

}  // namespace
}  // namespace kport
