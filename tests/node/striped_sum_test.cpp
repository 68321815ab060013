/// @file striped_sum_test.cpp   The sums of a large value are the same in every way to make them, in one piece or in several.
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/node/striped_sum.hpp"

namespace kport {
namespace {

using Words = std::vector<std::uint64_t>;

Words any_stripes() {
    return *rc::gen::container<Words>(*rc::gen::inRange<std::size_t>(1, 9) * StripedSum::lanes,
                                      rc::gen::arbitrary<std::uint64_t>());
}

StripedSum::Lanes sums_of(const Words& words, const StripedSum::Way& way = StripedSum::ways().front(),
                          std::size_t stripes_first = 0) {
    StripedSum sum(way);
    const auto bytes = std::as_bytes(std::span(words));
    sum.add(bytes.first(stripes_first * StripedSum::stripe));
    sum.add(bytes.subspan(stripes_first * StripedSum::stripe));
    return sum.sums();
}

RC_GTEST_PROP(AStripedSum, IsTheSameInEveryWayAndInPieces, ()) {
    const Words words = any_stripes();
    const StripedSum::Lanes plainly = sums_of(words);
    const auto first = *rc::gen::inRange<std::size_t>(0, words.size() / StripedSum::lanes + 1);
    for (const StripedSum::Way& way : StripedSum::ways()) RC_ASSERT(sums_of(words, way, first) == plainly);
    StripedSum fastest;
    fastest.add(std::as_bytes(std::span(words)));
    RC_ASSERT(fastest.sums() == plainly);
}

RC_GTEST_PROP(AStripedSum, ChangesWithEveryWordAndWithItsPlace, ()) {
    Words words = any_stripes();
    const StripedSum::Lanes before = sums_of(words);
    const auto at = *rc::gen::inRange<std::size_t>(0, words.size());
    const std::uint64_t word = words[at];
    words[at] ^= std::uint64_t{1} << *rc::gen::inRange(0, 64);
    RC_ASSERT(sums_of(words) != before);
    words[at] = word;
    const auto other = *rc::gen::inRange<std::size_t>(0, words.size());
    std::swap(words[at], words[other]);
    RC_ASSERT((sums_of(words) != before) == (words[at] != words[other]));
}

}  // namespace
}  // namespace kport
