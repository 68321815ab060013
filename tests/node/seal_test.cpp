/// @file seal_test.cpp   A seal changes with every bit and with the contributions; and the sealer's own fold is the folder's, bit for bit.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/node/reduction.hpp"
#include "emulator/node/sealed_copy.hpp"

namespace kport {
namespace {

const std::pair<Operator, ElementType> kinds[] = {
    {Operator::sum, ElementType::int64}, {Operator::min, ElementType::int64},
    {Operator::max, ElementType::int64}, {Operator::exclusive_or, ElementType::int64},
    {Operator::sum, ElementType::real},  {Operator::min, ElementType::real},
    {Operator::max, ElementType::real},
};

std::span<const std::byte> bytes_of(const std::vector<std::uint64_t>& words) { return std::as_bytes(std::span(words)); }
std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// What the value of a test sums up, as an element and as a body say it.
constexpr Progression some{3, 1, 4};
constexpr PacketBlock some_block[] = {{3, 1, 4}};

/// Any bits, those that are no numbers among them.
std::uint64_t any_bits() {
    return *rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(),
                           rc::gen::element<std::uint64_t>(0, std::uint64_t{1} << 63, 0x7FF0000000000000,
                                                           0xFFF0000000000000, 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF));
}
bool is_none(std::uint64_t bits) { return (bits << 1) > (std::uint64_t{0x7FF} << 53); }

RC_GTEST_PROP(ASealer, FoldsAsAFolderDoes, ()) {
    for (const auto& [op, type] : kinds) {
        const Folder folder({op, type, {}}, 8, 1, true);
        const std::uint64_t left = any_bits();
        const std::uint64_t right = any_bits();
        if (op == Operator::sum && type == ElementType::real && is_none(left) && is_none(right))
            continue;  // whose bits?
        RC_ASSERT(folder.sealer().fold(left, right) == folder.fold(left, right));
    }
}

RC_GTEST_PROP(ASealer, OrdersDoublesSoThatBracketsDoNotMatter, ()) {
    for (const Operator& op : {Operator::min, Operator::max}) {
        const Sealer sealer(op.on(ElementType::real));
        const std::uint64_t a = any_bits();
        const std::uint64_t b = any_bits();
        const std::uint64_t c = any_bits();
        RC_ASSERT(sealer.fold(a, b) == sealer.fold(b, a));
        RC_ASSERT(sealer.fold(sealer.fold(a, b), c) == sealer.fold(a, sealer.fold(b, c)));
    }
    const Sealer lower(Operator::min.on(ElementType::real));
    RC_ASSERT(lower.fold(0, std::bit_cast<std::uint64_t>(-0.0)) == std::bit_cast<std::uint64_t>(-0.0));
}

RC_GTEST_PROP(ASeal, ChangesWithEveryBit, ()) {
    const std::uint64_t number = any_bits();
    const Sealer sealer(Operator::sum.on(ElementType::int64));
    const Seal seal = sealer.of(some, number);
    RC_ASSERT(sealer.of(some_block, bytes_of(std::vector<std::uint64_t>{number})) == seal);
    RC_ASSERT(sealer.of(some_block, {}) == sealer.of(some, 0));
    std::vector<std::uint64_t> several = {any_bits(), number, any_bits(), any_bits()};
    const Seal of_several = sealer.of(some_block, bytes_of(several));
    for (int bit = 0; bit < 64; ++bit) {
        RC_ASSERT(sealer.of(some, number ^ std::uint64_t{1} << bit) != seal);
        several[1] ^= std::uint64_t{1} << bit;
        RC_ASSERT(sealer.of(some_block, bytes_of(several)) != of_several);
        several[1] ^= std::uint64_t{1} << bit;
    }
}

RC_GTEST_PROP(ASeal, OfAFoldIsThatOfTheFoldedBytes, ()) {
    FramePool pool;
    for (const auto& [op, type] : kinds) {
        std::vector<std::string> values;
        for (int v = 0; v < 2; ++v) values.push_back(std::to_string(*rc::gen::inRange(-100, 100)));
        // Small, and so large that they are folded again piece by piece.
        const std::uint64_t words = *rc::gen::element<std::uint64_t>(1, 2, 4, 7, 8, 9, 31, 32, 33, 40, 64, 67);
        const Folder folder({op, type, values}, 8 * words, 1, true);
        Body* left = folder.contribution(0, pool);
        Body* right = folder.contribution(1, pool);
        RC_ASSERT(folder.intact(*left) && folder.intact(*right));
        Body* both = folder.fold(*left, *right, pool);
        RC_ASSERT(both->seal == folder.seal_of(*both));
        both->bytes()[*rc::gen::inRange<std::uint64_t>(0, both->byte_count())] ^= std::byte{16};
        RC_ASSERT(!folder.intact(*both));
        for (Body* body : {left, right, both}) body->release(pool);
    }
}

RC_GTEST_PROP(ASeal, OfACopyAndOfAFoldInOnePassIsThatOfEach, ()) {
    for (const auto& [op, type] : kinds) {
        const Folder folder({op, type, {}}, 8, 1, true);
        const Sealer& sealer = folder.sealer();
        // Small; large; and of several pieces, the last of them no whole one.
        const auto words = *rc::gen::element<std::size_t>(1, 31, 32, 40, 512, 513, 1029);
        std::vector<std::uint64_t> left(words);
        std::vector<std::uint64_t> right(words);
        for (std::size_t i = 0; i < words; ++i) {
            left[i] = *rc::gen::inRange<std::uint64_t>(0, 1000);
            right[i] = *rc::gen::inRange<std::uint64_t>(0, 1000);
        }
        std::vector<std::uint64_t> copy(words);
        const auto into = [&](std::vector<std::uint64_t>& to) { return std::as_writable_bytes(std::span(to)).data(); };
        RC_ASSERT(sealer.of_copied(some_block, bytes_of(left), into(copy)) == sealer.of(some_block, bytes_of(left)));
        RC_ASSERT(copy == left);
        const PacketBlock other_block[] = {{7, 1, 2}};
        // Whose last word is no whole one.
        const auto some_bytes = bytes_of(left).first(words * 8 - *rc::gen::inRange<std::size_t>(0, 8));
        const Sealer::Renamed renamed = sealer.of_renamed(some_block, other_block, some_bytes);
        RC_ASSERT(renamed.before == sealer.of(some_block, some_bytes));
        RC_ASSERT(renamed.after == sealer.of(other_block, some_bytes));
        const PacketBlock both_blocks[] = {{3, 1, 6}};
        std::vector<std::uint64_t> both(words);
        std::vector<std::uint64_t> apart(words);
        const Sealer::Seals seals =
            sealer.of_folded(both_blocks, {some_block, bytes_of(left)}, {other_block, bytes_of(right)}, into(both));
        folder.fold(into(apart), bytes_of(left).data(), bytes_of(right).data(), words * 8);
        RC_ASSERT(both == apart);
        RC_ASSERT(seals.left == sealer.of(some_block, bytes_of(left)));
        RC_ASSERT(seals.right == sealer.of(other_block, bytes_of(right)));
        RC_ASSERT(seals.both == sealer.of_fold(both_blocks, bytes_of(left), bytes_of(right)));
        RC_ASSERT(seals.both == sealer.of(both_blocks, bytes_of(both)));
    }
}

RC_GTEST_PROP(ASeal, OfAValueThatIsWrittenPieceByPieceIsThatOfAllOfIt, ()) {
    const Sealer sealer(Operator::sum.on(ElementType::int64));
    std::vector<std::byte> value;
    std::vector<std::size_t> pieces;
    while (value.size() < Sealer::Copy::pays_from || *rc::gen::inRange(0, 4) != 0) {
        pieces.push_back(*rc::gen::element<std::size_t>(0, 8, 64, 1000, 4088, 4096, 10000));
        for (std::size_t i = 0; i < pieces.back(); ++i) value.push_back(static_cast<std::byte>(value.size() * 7 >> 3));
    }
    std::vector<std::byte> written(value.size());
    Sealer::Copy copy(sealer, some_block, written.data(), written.size());
    std::size_t at = 0;
    for (const std::size_t piece : pieces) copy.add(std::span(value).subspan(std::exchange(at, at + piece), piece));
    RC_ASSERT(copy.end() == sealer.of(some_block, value));
    RC_ASSERT(written == value);
}

TEST(ASeal, OfAValueLargerThanTheCachesIsThatOfItsBytes) {
    constexpr std::size_t words = (std::size_t{1} << 20) + 3;
    const Sealer sealer(Operator::sum.on(ElementType::int64));
    std::vector<std::uint64_t> left(words);
    std::vector<std::uint64_t> right(words);
    for (std::size_t i = 0; i < words; ++i) left[i] = 3 * (right[i] = i * i) + 1;
    std::vector<std::uint64_t> folded(words);
    const auto into = std::as_writable_bytes(std::span(folded)).data();
    const Sealer::Seals seals =
        sealer.of_folded(some_block, {some_block, bytes_of(left)}, {some_block, bytes_of(right)}, into);
    EXPECT_EQ(seals.left, sealer.of(some_block, bytes_of(left)));
    EXPECT_EQ(seals.right, sealer.of(some_block, bytes_of(right)));
    EXPECT_EQ(seals.both, sealer.of(some_block, bytes_of(folded)));
    for (std::size_t i = 0; i < words; ++i) ASSERT_EQ(folded[i], left[i] + right[i]) << i;
    EXPECT_EQ(sealer.of_copied(some_block, bytes_of(left), into), seals.left);
    EXPECT_EQ(folded, left);
}

RC_GTEST_PROP(ASeal, OfManyNumbersChangesWithEachAndWithTheirPlaces, ()) {
    const Sealer sealer(Operator::sum.on(ElementType::int64));
    std::vector<std::uint64_t> numbers(*rc::gen::inRange<std::size_t>(2, 40));
    for (std::uint64_t& number : numbers) number = any_bits();
    // Bytes that are no whole words.
    const std::size_t bytes = numbers.size() * 8 - *rc::gen::inRange<std::size_t>(0, 8);
    const auto seal = [&] { return sealer.of(some_block, bytes_of(numbers).first(bytes)); };
    const Seal before = seal();
    const auto bit = *rc::gen::inRange<std::size_t>(0, bytes * 8);
    numbers[bit / 64] ^= std::uint64_t{1} << bit % 64;
    RC_ASSERT(seal() != before);
    numbers[bit / 64] ^= std::uint64_t{1} << bit % 64;
    RC_ASSERT(seal() == before);
    const auto a = *rc::gen::inRange<std::size_t>(0, bytes / 8);
    const auto b = *rc::gen::inRange<std::size_t>(0, bytes / 8);
    const bool differ = numbers[a] != numbers[b];
    std::swap(numbers[a], numbers[b]);
    RC_ASSERT((seal() != before) == differ);
}

TEST(ASeal, ChangesWithTheContributions) {
    for (const ElementType& type : {ElementType::int64, ElementType::real, ElementType::text}) {
        const Operator op = type == ElementType::text ? Operator::concat : Operator::sum;
        const Sealer sealer(op.on(type));
        for (const std::size_t words : {0U, 1U, 3U}) {
            const std::vector<std::uint64_t> value(words, 7);
            std::set<Seal> seals;
            std::size_t sets = 0;
            for (std::uint32_t first = 0; first < 20; ++first)
                for (std::uint32_t stride = 1; stride < 5; ++stride)
                    for (std::uint32_t count = 1; count < 10; ++count) {
                        const PacketBlock blocks[] = {{first, stride, count}, {40}};
                        seals.insert(sealer.of({blocks, 1}, bytes_of(value)));
                        seals.insert(sealer.of(blocks, bytes_of(value)));
                        sets += 2;
                    }
            EXPECT_EQ(seals.size(), sets);
        }
    }
}

TEST(ASeal, ChangesWhereNumbersChangePlaces) {
    // They may differ in their upper bits alone, as small whole numbers do as doubles.
    const Sealer sealer(Operator::sum.on(ElementType::real));
    const auto seal = [&](const std::vector<double>& numbers) {
        return sealer.of(some_block, std::as_bytes(std::span(numbers)));
    };
    for (const double other : {2.0, 4.0, -0.0, 1e300})
        for (std::size_t at = 1; at < 8; ++at)
            for (std::size_t first = 0; first < at; ++first) {
                std::vector<double> one(8, 0.0);
                std::vector<double> swapped = one;
                one[first] = swapped[at] = other;
                EXPECT_NE(seal(one), seal(swapped)) << other << " at " << first << " and " << at;
            }
}

TEST(ASeal, IsOfOneSealerAlone) {
    for (const ElementType& type : {ElementType::int64, ElementType::real, ElementType::text}) {
        const Operator op = type == ElementType::text ? Operator::concat : Operator::sum;
        const Sealer one(op.on(type));
        const Sealer other(op.on(type));
        for (const std::size_t words : {0U, 1U, 3U}) {
            const std::vector<std::uint64_t> value(words, 5);
            EXPECT_NE(one.of(some_block, bytes_of(value)), other.of(some_block, bytes_of(value)));
        }
        EXPECT_NE(one.of(some, 5), other.of(some, 5));
    }
    Folder folder({Operator::sum, ElementType::int64, {"5"}}, 8, 1, true);
    const Element element = folder.sealed_element(0);
    folder.seal_anew();
    EXPECT_FALSE(folder.intact(element));
    EXPECT_TRUE(folder.intact(folder.sealed_element(0)));
}

TEST(ASeal, OfTextsIsThatOfTheTextThatTheyMake) {
    const Sealer sealer(Operator::concat.on(ElementType::text));
    const std::string left = "12345";
    const std::string right = "6789abcdef";
    const auto of = [&](const std::string& text) { return sealer.of(some_block, bytes_of(text)); };
    EXPECT_EQ(sealer.of_fold(some_block, bytes_of(left), bytes_of(right)), of(left + right));
    EXPECT_EQ(sealer.of_fold(some_block, bytes_of(std::string()), bytes_of(right)), of(right));
    EXPECT_NE(of(right + left), of(left + right));
}

/// Of one of several segments, of contributions that may go around the end of the nodes.
RC_GTEST_PROP(AnElement, OfASegmentHasTheSealOfItsBodyAndNoOther, ()) {
    const Folder folder({}, 8, 1, *rc::gen::element(true, false), 8);
    Element element({*rc::gen::inRange<std::uint32_t>(4, 8), 1, *rc::gen::inRange<std::uint32_t>(1, 4)},
                    folder.payload() ? any_bits() : 0);
    element.segment = *rc::gen::inRange<std::uint32_t>(0, 8);
    element.around = *rc::gen::inRange<std::uint32_t>(0, 3);
    element.seal = folder.seal_of(element);
    FramePool pool;
    Body* const body = folder.body_of(element, pool);
    RC_ASSERT(folder.intact(element) && folder.intact(*body));
    RC_ASSERT(size_of(body->blocks()) == element.contributions.count + element.around);
    RC_ASSERT(body->blocks().front().row == element.segment);
    body->release(pool);
    for (std::uint32_t Element::*const member : {&Element::segment, &Element::around}) {
        Element other = element;
        ++(other.*member);
        RC_ASSERT(!folder.intact(other));
    }
}

RC_GTEST_PROP(Elements, OfSegmentsSideBySideAreJoinedAsBodiesAre, ()) {
    constexpr std::uint32_t segments = 6;
    const Folder folder({}, 8, 1, *rc::gen::element(true, false), segments);
    FramePool pool;
    std::vector<std::uint32_t> order(segments);
    std::iota(order.begin(), order.end(), 0U);
    const bool descend = *rc::gen::element(true, false);
    if (descend) std::ranges::reverse(order);
    const bool mixed = *rc::gen::inRange(0, 4) == 0;
    if (mixed) std::swap(order[2], order[3]);
    const auto around = *rc::gen::inRange<std::uint32_t>(0, 3);
    std::vector<Value> values;
    std::vector<const Value*> each;
    std::vector<const Body*> bodies;
    for (const std::uint32_t segment : order) {
        Element element({5, 1, 2}, folder.payload() ? any_bits() : 0);
        element.segment = segment;
        element.around = around;
        element.seal = folder.seal_of(element);
        values.emplace_back(element);
        bodies.push_back(folder.body_of(element, pool));
    }
    for (const Value& value : values) each.push_back(&value);
    Body* const joined = folder.joined_elements(each, pool);
    RC_ASSERT((joined == nullptr) == mixed);
    if (!mixed) {
        bool intact = false;
        Body* const same = folder.joined(bodies, PacketSet::range(0, segments), pool, intact);
        RC_ASSERT(intact);
        RC_ASSERT(std::ranges::equal(joined->content(), same->content()));
        PacketSet named;
        named.add(joined->blocks());
        RC_ASSERT(named.covers(same->blocks()) && named.size() == size_of(same->blocks()));
        RC_ASSERT(folder.intact(*joined));
        same->release(pool);
        joined->release(pool);
    }
    for (const Body* body : bodies) const_cast<Body*>(body)->release(pool);
}

TEST(AnElement, WithoutItsSealIsNotIntact) {
    const Folder folder({Operator::sum, ElementType::int64, {"5", "6"}}, 8, 1, true);
    EXPECT_TRUE(folder.intact(folder.sealed_element(1)));
    const Element sum = folder.fold(folder.sealed_element(0), folder.sealed_element(1), {0, 1, 2});
    EXPECT_EQ(sum.bits, 11U);
    EXPECT_TRUE(folder.intact(sum));
    for (const std::uint64_t bits : {0U, 11U}) EXPECT_FALSE(folder.intact(Element({0, 1, 2}, bits)));
    FramePool pool;
    Body* forged = folder.body_of(Element({0, 1, 2}, 11), pool);
    EXPECT_FALSE(folder.intact(*forged));
    forged->release(pool);
}

}  // namespace
}  // namespace kport
