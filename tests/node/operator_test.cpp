/// @file operator_test.cpp   The table's operators are what they are said to be; what a user says of his own is tried, and refuted by elements.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/base/random.hpp"
#include "emulator/node/formats.hpp"
#include "emulator/node/reduction.hpp"

namespace kport {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// One of the table.
const ElementType& type_named(std::string_view word) {
    return *std::ranges::find(element_types(), word, [](const ElementType& type) { return name(type); });
}

TEST(TheTableOfOperators, SaysOfEachWhatDrawsDoNotRefute) {
    for (const Operator& op : operators())
        for (const ElementType& given : element_types()) {
            const ElementType type = elements_of(op, given);
            if (type.is_text() || op.on(type) == nullptr) continue;
            const bool is_exact = op.is_exact(type) || (op == Operator::sum && type == ElementType::real);
            if (!is_exact) continue;  // associative but for the last place
            EXPECT_NO_THROW(require_claims(op, type, 16)) << name(op) << " " << name(type);
        }
    std::vector<std::string_view> commutative;
    std::vector<std::string_view> idempotent;
    for (const Operator& op : operators()) {
        if (op->commutative) commutative.push_back(name(op));
        if (op->idempotent) idempotent.push_back(name(op));
        EXPECT_FALSE(op.is_own());
    }
    EXPECT_THAT(commutative, ElementsAre("sum", "min", "max", "xor", "prod", "band", "bor", "land", "lor", "lxor",
                                         "minloc", "maxloc"));
    EXPECT_THAT(idempotent, ElementsAre("min", "max", "band", "bor", "minloc", "maxloc"));
}

TEST(TheTableOfOperators, IsDefinedOnTheTypesThatItNames) {
    const auto types = [](const Operator& op) {
        std::vector<std::string_view> names;
        for (const Folding& folding : op->on) names.push_back(folding.type->name);
        return names;
    };
    for (const Operator& op :
         {Operator::sum, Operator::prod, Operator::min, Operator::max, Operator::minloc, Operator::maxloc})
        EXPECT_THAT(types(op), ElementsAre("int64", "int32", "uint64", "double", "float", "float16", "bfloat16"));
    for (const Operator& op :
         {Operator::exclusive_or, Operator::band, Operator::bor, Operator::land, Operator::lor, Operator::lxor})
        EXPECT_THAT(types(op), ElementsAre("int64", "int32", "uint64"));
    EXPECT_THAT(types(Operator::concat), ElementsAre("string"));
}

TEST(TheTableOfOperators, FoldsManyElementsAsItFoldsEachHoweverManyAndInPlaceToo) {
    // Lengths around those from which wide registers are used, and around what fills one.
    for (const std::uint64_t count : {1U, 7U, 8U, 63U, 64U, 65U, 71U, 72U, 127U, 1001U})
        for (const Operator& op : operators())
            for (const Folding& folding : op->on) {
                if (folding.fold_word == nullptr) continue;
                SCOPED_TRACE(fmt::format("{} of {} {}", name(op), count, folding.type->name));
                const std::uint64_t size = folding.type->bytes;
                std::vector<std::byte> left(count * size);
                std::vector<std::byte> right(count * size);
                std::vector<std::byte> each(count * size);
                Dice dice(count);
                for (std::uint64_t i = 0; i < count; ++i) {
                    std::array<std::uint64_t, 2> bits{};
                    folding.type->sample(*folding.type, dice, 16, left.data() + i * size);
                    folding.type->sample(*folding.type, dice, 16, right.data() + i * size);
                    std::memcpy(&bits[0], left.data() + i * size, size);
                    std::memcpy(&bits[1], right.data() + i * size, size);
                    const std::uint64_t both = folding.fold_word(folding, bits[0], bits[1]);
                    std::memcpy(each.data() + i * size, &both, size);
                }
                const auto folded = [&](std::vector<std::byte>& into, const auto& a, const auto& b) {
                    folding.fold(folding, into.data(), a.data(), b.data(), size * count);
                    return into;
                };
                std::vector<std::byte> apart(count * size);
                EXPECT_EQ(folded(apart, left, right), each);
                std::vector<std::byte> on_left = left;
                EXPECT_EQ(folded(on_left, on_left, right), each);
                std::vector<std::byte> on_right = right;
                EXPECT_EQ(folded(on_right, left, on_right), each);
            }
}

/// The two programs of each operator, on any bits. A NaN is no contribution, but a sum or product may be one.
TEST(TheTableOfOperators, IsTheSameInBothPrograms) {
    Dice dice(5);
    for (const Operator& op : operators())
        for (const Folding& folding : op->on) {
            if (folding.fold == nullptr) continue;
            SCOPED_TRACE(fmt::format("{} of {}", name(op), folding.type->name));
            const std::size_t width = type_named(folding.type->name)->bytes;
            for (int i = 0; i < 20'000; ++i) {
                std::array<std::array<std::byte, 16>, 4> of{};
                for (std::array<std::byte, 16>& element : {std::ref(of[0]), std::ref(of[1])}) {
                    const std::array<std::uint64_t, 2> words{dice.word(), dice.below(4)};
                    std::memcpy(element.data(), words.data(), 16);
                    if (dice.happens(0.1)) std::memset(element.data(), 0, 8);
                    if (dice.happens(0.2)) std::memcpy(element.data(), of[0].data(), 8);
                    std::memset(element.data() + width, 0, 8 - width);
                }
                const auto is_nan = [&](const auto& element) {
                    return folding.type->real != nullptr && std::isnan(folding.type->real(element.data()));
                };
                if (is_nan(of[0]) || is_nan(of[1])) continue;
                folding.fold(folding, of[2].data(), of[0].data(), of[1].data(), folding.type->bytes);
                folding.again(folding, of[3].data(), of[0].data(), of[1].data(), folding.type->bytes);
                ASSERT_EQ(of[2], of[3]) << folding.type->text(*folding.type, of[0].data()) << " and "
                                        << folding.type->text(*folding.type, of[1].data());
            }
        }
}

TEST(TheTableOfOperators, GivesTheLowestIndexOfTheLeastAndTheGreatest) {
    const auto folded = [](const Operator& op, const ElementType& given, const char* left, const char* right) {
        const ElementType type = elements_of(op, given);
        std::array<std::byte, 16> a{};
        std::array<std::byte, 16> b{};
        EXPECT_TRUE(type->read(left, 5, a.data()) && type->read(right, 6, b.data()));
        const Folding& folding = *op.on(type);
        folding.fold(folding, a.data(), a.data(), b.data(), a.size());
        return type->text(*type, a.data());
    };
    EXPECT_EQ(folded(Operator::minloc, ElementType::int64, "3@7", "3@2"), "3@2");
    EXPECT_EQ(folded(Operator::minloc, ElementType::int64, "-4", "3"), "-4@5");
    EXPECT_EQ(folded(Operator::maxloc, ElementType::uint64, "18446744073709551615", "3"), "18446744073709551615@5");
    EXPECT_EQ(folded(Operator::maxloc, ElementType::real16, "0.1", "0.1"), "0.1@5");
    EXPECT_EQ(folded(Operator::minloc, ElementType::real, "0", "-0"), "-0@6");
}

// ------------------------------------------------------------------------------------------------------- formats

template <class Format>
void expect_all_kept_and_halves_rounded_to_even() {
    for (std::uint64_t bits = 0; bits < Format::infinity; ++bits) {
        const double value = Format::value(bits);
        ASSERT_EQ(Format::bits(value), bits);
        ASSERT_EQ(Format::bits(-value), bits | Format::sign);
        const double next =
            bits + 1 < Format::infinity ? Format::value(bits + 1) : std::ldexp(1.0, Format::exponent_max + 1);
        const double half = value + (next - value) / 2;
        ASSERT_EQ(Format::bits(half), bits + bits % 2);
        ASSERT_EQ(Format::bits(std::nextafter(half, 0.0)), bits);
        ASSERT_EQ(Format::bits(std::nextafter(half, std::ldexp(1.0, 1000))), bits + 1);
    }
    EXPECT_EQ(Format::bits(-std::numeric_limits<double>::infinity()), Format::infinity | Format::sign);
    EXPECT_EQ(Format::bits(1e300), Format::infinity);
    EXPECT_EQ(Format::bits(1e-300), 0U);
    EXPECT_GT(Format::bits(std::numeric_limits<double>::quiet_NaN()), Format::infinity);
    EXPECT_EQ(Format::value(Format::infinity), std::numeric_limits<double>::infinity());
}

/// IEEE 754, section 4.3.1: every number of 16 bits, and the middle between each and the next.
TEST(TheFormats, KeepEveryNumberOf16BitsAndRoundWhatIsBetweenToTheNearest) {
    expect_all_kept_and_halves_rounded_to_even<FormatOfFloat16>();
    expect_all_kept_and_halves_rounded_to_even<FormatOfBfloat16>();
}

TEST(TheFormats, RoundSumsAndProductsOfFloatsAsTheProcessorDoes) {
    Dice dice(3);
    const Folding& sum = *Operator::sum.on(ElementType::real32);
    const Folding& product = *Operator::prod.on(ElementType::real32);
    for (int i = 0; i < 100'000; ++i) {
        const auto a = static_cast<std::uint32_t>(dice.word());
        const auto b = dice.happens(0.5) ? static_cast<std::uint32_t>(dice.word())
                                         : a ^ static_cast<std::uint32_t>(dice.below(1U << 26));
        const auto x = std::bit_cast<float>(a);
        const auto y = std::bit_cast<float>(b);
        if (std::isnan(x) || std::isnan(y)) continue;
        if (!std::isnan(x + y)) {
            ASSERT_EQ(sum.fold_word(sum, a, b), std::bit_cast<std::uint32_t>(x + y)) << x << " " << y;
        }
        if (!std::isnan(x * y)) {
            ASSERT_EQ(product.fold_word(product, a, b), std::bit_cast<std::uint32_t>(x * y)) << x << " " << y;
        }
    }
}

TEST(TheTypesOfElements, ReadWhatTheyHoldAndRefuseWhatIsBeyond) {
    const auto read = [](const ElementType& type, const std::string& text) {
        std::array<std::byte, 16> element{};
        return type->read(text, 0, element.data()) ? type->text(*type, element.data()) : "refused";
    };
    for (const auto& [type, text, told] :
         std::vector<std::array<std::string, 3>>{{"int32", "-2147483648", "-2147483648"},
                                                 {"int32", "2147483648", "refused"},
                                                 {"int32", "1.5", "refused"},
                                                 {"uint64", "-1", "refused"},
                                                 {"uint64", "18446744073709551615", "18446744073709551615"},
                                                 {"float", "0.1", "0.1"},
                                                 {"float", "1e39", "refused"},
                                                 {"float", "inf", "inf"},
                                                 {"float", "nan", "refused"},
                                                 {"float16", "0.1", "0.1"},
                                                 {"float16", "65504", "65500"},
                                                 {"float16", "65520", "refused"},
                                                 {"float16", "2049", "2048"},
                                                 {"float16", "6e-8", "6e-08"},
                                                 {"bfloat16", "257", "256"},
                                                 {"bfloat16", "-0", "-0"},
                                                 {"double", "1e999", "refused"}})
        EXPECT_EQ(read(type_named(type), text), told) << type << " " << text;
}

TEST(TheTypesOfElements, ContributeTheRemaindersOfRandomWordsBy1000HoweverManyAreMadeAtOnce) {
    const auto made = [](const ElementType& type, std::uint64_t first, std::uint64_t stride, std::uint64_t count) {
        std::vector<std::uint64_t> bits(count);
        type->contributions(*type, 7, 3, first, stride, count, std::as_writable_bytes(std::span(bits)).data());
        return bits;
    };
    for (const std::uint64_t stride : {1U, 5U})
        for (const std::uint64_t count : {1U, 63U, 64U, 65U, 100003U}) {
            std::vector<std::uint64_t> whole(count);
            std::vector<std::uint64_t> real(count);
            for (std::uint64_t k = 0; k < count; ++k) {
                whole[k] = random_word(7, 3, 11 + k * stride) % 1000;
                real[k] = std::bit_cast<std::uint64_t>(static_cast<double>(whole[k]));
            }
            EXPECT_EQ(made(ElementType::int64, 11, stride, count), whole);
            EXPECT_EQ(made(ElementType::real, 11, stride, count), real);
        }
}

using Fold = std::function<std::int64_t(const std::int64_t&, const std::int64_t&)>;

/// What is wrong with the claims; empty if nothing is.
std::string refuted(const Fold& fold, bool commutative, bool idempotent) {
    try {
        require_valid(Reduction::own<std::int64_t>(
                          {.name = "mine", .fold = fold, .commutative = commutative, .idempotent = idempotent}),
                      4, 8);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "";
}

TEST(AnOperatorOfOnesOwn, IsRefusedWithElementsThatRefuteWhatIsSaidOfIt) {
    const Fold sum = [](std::int64_t a, std::int64_t b) { return a + b; };
    const Fold left = [](std::int64_t a, std::int64_t) { return a; };
    const Fold difference = [](std::int64_t a, std::int64_t b) { return a - b; };
    EXPECT_EQ(refuted(sum, true, false), "");
    EXPECT_EQ(refuted(sum, false, false), "");
    EXPECT_EQ(refuted(left, false, true), "");
    EXPECT_THAT(refuted(sum, true, true),
                AllOf(StartsWith("op mine is not idempotent; say .idempotent = false: of "), HasSubstr(" it makes ")));
    EXPECT_THAT(refuted(left, true, true), StartsWith("op mine is not commutative; say .commutative = false: of "));
    EXPECT_THAT(refuted(difference, false, false), StartsWith("op mine is not associative, as every operator must be"));
}

/// The elements that a refusal names do refute the claim.
TEST(AnOperatorOfOnesOwn, IsRefutedByTheElementsThatAreNamed) {
    const std::string why = refuted([](std::int64_t a, std::int64_t) { return a; }, true, false);
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t one = 0;
    std::int64_t other = 0;
    ASSERT_EQ(std::sscanf(why.c_str(), "%*[^:]: of %ld and %ld it makes %ld in this order, and %ld in the other", &a,
                          &b, &one, &other),
              4)
        << why;
    EXPECT_NE(a, b);
    EXPECT_EQ(one, a);
    EXPECT_EQ(other, b);
}

TEST(AnOperatorOfOnesOwn, MustSayWhatItMakesAndWhatNodesContribute) {
    const auto refusal = [](OwnOperator<std::array<int, 3>> said) {
        try {
            (void)Reduction::own(std::move(said));
        } catch (const RequestError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const auto first = [](const std::array<int, 3>& a, const std::array<int, 3>&) { return a; };
    EXPECT_THAT(refusal({}), HasSubstr("has no name"));
    EXPECT_THAT(refusal({.name = "mine"}),
                HasSubstr("op mine: it does not say what it makes of two elements; want .fold"));
    EXPECT_THAT(refusal({.name = "mine", .fold = first}), HasSubstr("want .contribution, or .draw"));
}

TEST(AnOperatorOfOnesOwn, HasATypeOfItsOwnAndPacketsOfWholeElements) {
    struct Triple {
        std::int32_t x, y, z;
    };
    const Reduction reduction =
        Reduction::own<Triple>({.name = "mine",
                                .fold = [](const Triple& a, const Triple&) { return a; },
                                .contribution =
                                    [](NodeId v, std::uint64_t i) {
                                        return Triple{static_cast<int>(v), static_cast<int>(i), 7};
                                    }});
    EXPECT_TRUE(reduction.op.is_own());
    EXPECT_EQ(name(reduction.type), "12 bytes");
    const auto refusal = [](const Reduction& asked, std::uint64_t bytes) {
        try {
            require_valid(asked, 3, bytes);
        } catch (const RequestError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(refusal(reduction, 36), "");
    EXPECT_THAT(refusal(reduction, 16), HasSubstr("have 12 bytes each; want a multiple of 12"));
    Reduction wrong = reduction;
    wrong.type = ElementType::int64;
    EXPECT_THAT(refusal(wrong, 36), HasSubstr("op mine is not defined for type int64; mine wants type 12 bytes"));
    wrong = reduction;
    wrong.values = {"1", "2", "3"};
    EXPECT_THAT(refusal(wrong, 36), HasSubstr("are not given as text; want .contribution"));

    FramePool pool;
    const Folder folder(reduction, 24, 1, true);
    EXPECT_FALSE(folder.has_elements());
    Body* second = folder.contribution(2, pool);
    Value value(second, pool);
    EXPECT_EQ(second->byte_count(), 24U);
    EXPECT_TRUE(folder.intact(*second));
    EXPECT_EQ(folder.text(second->bytes(), 24), "0x020000000000000007000000");
    running.pool = &pool;
    EXPECT_EQ(value.as<Triple>(1).y, 1);
    EXPECT_THROW((void)value.as<Triple>(2), std::invalid_argument);
    value = {};
    running.pool = nullptr;
}

/// Bytes between members have any value after a fold; neither seals nor comparisons may see them.
TEST(AnOperatorOfOnesOwn, MayHaveATypeWithGaps) {
#if __has_builtin(__builtin_clear_padding)
    struct Gaps {
        std::int8_t small;
        double large;
    };
    const auto dirty = [](double large, std::int8_t small) {
        Gaps gaps;
        std::memset(static_cast<void*>(&gaps), static_cast<int>(large) + 17, sizeof gaps);
        gaps.small = small;
        gaps.large = large;
        return gaps;
    };
    const Reduction reduction =
        Reduction::own<Gaps>({.name = "mine",
                              .fold = [=](const Gaps& a, const Gaps& b) { return dirty(a.large + b.large, 1); },
                              .commutative = true,
                              .draw = [=](Dice& dice) { return dirty(static_cast<double>(dice.below(9)), 1); }});
    EXPECT_NO_THROW(require_valid(reduction, 3, sizeof(Gaps)));
#endif
}

/// What only the second fold of a seal can show: the operator does not always give the same.
TEST(ASeal, OfAnOperatorOfOnesOwnShowsThatItIsNotAlwaysTheSame) {
    FramePool pool;
    for (const bool wavers : {false, true}) {
        int calls = 0;
        const Reduction reduction = Reduction::own<std::int64_t>(
            {.name = "mine",
             .fold = [&calls, wavers](std::int64_t a, std::int64_t b) { return a + b + (wavers ? calls++ : 0); },
             .commutative = true});
        for (const std::uint64_t bytes : {8U, 24U}) {
            const Folder folder(reduction, bytes, 1, true);
            Body* left = folder.contribution(0, pool);
            Body* right = folder.contribution(1, pool);
            Body* both = folder.fold(*left, *right, pool);
            EXPECT_EQ(folder.intact(*both), !wavers);
            for (Body* body : {left, right, both}) body->release(pool);
        }
        const Folder numbers(reduction, 8, 1, true);
        EXPECT_TRUE(numbers.has_elements());
        EXPECT_EQ(numbers.intact(numbers.fold(numbers.sealed_element(0), numbers.sealed_element(1), {0, 1, 2})),
                  !wavers);
    }
}

RC_GTEST_PROP(AnOperatorOfOnesOwn, OnNumbersIsAsTheTablesOwn, ()) {
    const auto own = Reduction::own<std::int64_t>(
        {.name = "larger", .fold = [](std::int64_t a, std::int64_t b) { return a < b ? b : a; }, .commutative = true});
    const Folder mine(own, 8, 1, true);
    const Folder tables({Operator::max, ElementType::int64, {}}, 8, 1, true);
    const auto a = *rc::gen::arbitrary<std::uint64_t>();
    const auto b = *rc::gen::arbitrary<std::uint64_t>();
    RC_ASSERT(mine.fold(a, b) == tables.fold(a, b));
    RC_ASSERT(mine.sealer().fold(a, b) == tables.fold(a, b));
}

}  // namespace
}  // namespace kport
