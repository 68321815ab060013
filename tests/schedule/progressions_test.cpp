/// @file progressions_test.cpp   Progressions against plain std::set arithmetic.
///
/// Source   the definitions in emulator/schedule/packet_set.hpp.
#include <cstdint>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/schedule/packet_sets.hpp"

namespace kport {
namespace {

using test::any_progression;
using test::in_both;
using test::in_first_alone;
using test::Numbers;
using test::written_out;

RC_GTEST_PROP(AProgression, FindsTheIndexOfEachMemberAndOfNoOther, ()) {
    for (int repeat = 0; repeat < 20; ++repeat) {
        const Progression p = any_progression();
        const Numbers numbers = written_out(p);
        RC_ASSERT(p.last() == *numbers.rbegin());
        for (std::uint32_t x = 0; x < 120; ++x) {
            const auto place = p.place(x);
            RC_ASSERT(place.has_value() == (numbers.count(x) != 0));
            if (place) RC_ASSERT(*place < p.count && p[*place] == x);
        }
    }
}

RC_GTEST_PROP(AProgression, IntersectsWithAnother, ()) {
    for (int repeat = 0; repeat < 50; ++repeat) {
        const Progression a = any_progression();
        const Progression b = any_progression();
        const auto both = common(a, b);
        const Numbers expected = in_both(written_out(a), written_out(b));
        RC_ASSERT((both ? written_out(*both) : Numbers{}) == expected);
        if (both) RC_ASSERT(both->count == expected.size() && both->stride >= 1);
    }
}

RC_GTEST_PROP(AProgression, MinusAPartIsDisjointProgressions, ()) {
    for (int repeat = 0; repeat < 50; ++repeat) {
        const Progression whole = any_progression();
        const auto part = common(whole, any_progression());
        if (!part) continue;
        Numbers rest;
        for (const Progression& p : without(whole, *part)) {
            RC_ASSERT(p.count != 0U);
            for (const std::uint32_t x : written_out(p)) RC_ASSERT(rest.insert(x).second);
        }
        RC_ASSERT(rest == in_first_alone(written_out(whole), written_out(*part)));
    }
}

TEST(AProgression, WithoutAResidueClassIsTheOthers) {
    const auto rest = [](const Progression& whole, const Progression& part) {
        const Progressions left = without(whole, part);
        return std::vector<Progression>(left.begin(), left.end());
    };
    EXPECT_EQ(rest({0, 1, 8}, {1, 2, 4}), (std::vector<Progression>{{0, 2, 4}}));
    EXPECT_EQ(rest({3, 5, 8}, {3, 10, 4}), (std::vector<Progression>{{8, 10, 4}}));
    EXPECT_EQ(rest({0, 1, 7}, {0, 2, 4}), (std::vector<Progression>{{1, 2, 3}}));
    EXPECT_EQ(rest({0, 1, 8}, {1, 3, 3}), (std::vector<Progression>{{0, 3, 3}, {2, 3, 2}}));
}

TEST(AProgression, IntersectsFarOut) {
    // The products of large strides and counts do not fit into 32 bits.
    const std::uint32_t billion = 1'000'000'000;
    const Progression a{3, 65'537, 65'000};
    const Progression b{5, 65'539, 65'000};
    const auto both = common(a, b);
    Numbers expected;
    for (std::uint32_t i = 0; i < a.count; ++i)
        if (b.place(a[i])) expected.insert(a[i]);
    EXPECT_EQ(both ? written_out(*both) : Numbers{}, expected);
    EXPECT_EQ(common(Progression{billion}, Progression{0, billion, 5}), Progression{billion});
    EXPECT_FALSE(common(Progression{billion + 1}, Progression{0, billion, 5}));
    EXPECT_EQ(common(Progression{0, 2, 2'000'000'001}, Progression{1, 3, 1'000'000'001}),
              (Progression{4, 6, 500'000'000}));
}

RC_GTEST_PROP(AProgression, IntersectsAtTheLargestDistances, ()) {
    // The product of a remainder and an inverse, each nearly 2^32, does not fit into 63 bits; nor does that of two strides.
    constexpr std::uint32_t end = 0xFFFFFFFF;
    for (int repeat = 0; repeat < 10; ++repeat) {
        const auto far = *rc::gen::inRange<std::uint32_t>(4'000'000'000, end);
        const Progression two{*rc::gen::inRange<std::uint32_t>(0, end - far), far, 2};
        const auto stride = *rc::gen::inRange<std::uint32_t>(2, *rc::gen::element<std::uint32_t>(100, 4'000'000'000));
        const auto skipped = *rc::gen::inRange<std::uint32_t>(0, two.last() / stride);
        const std::uint32_t first = two.last() % stride + skipped * stride;
        const Progression through{first, stride, (end - first) / stride + 1};
        const Progression shorter{first, stride, (end - first) / stride};
        for (const Progression& p : {through, shorter}) {
            if (p.count == 0) continue;
            const std::uint32_t expected = (p.place(two.first) ? 1 : 0) + (p.place(two.last()) ? 1 : 0);
            const auto both = common(p, two);
            const auto turned = common(two, p);
            RC_ASSERT((both ? both->count : 0) == expected);
            RC_ASSERT((turned ? turned->count : 0) == expected);
            if (p.place(two.last())) RC_ASSERT(both->last() == two.last() && turned->last() == two.last());
        }
    }
}

}  // namespace
}  // namespace kport
