/// @file operator_test.cpp   The table's operators are what they are said to be; what a user says of his own is tried, and refuted by elements.
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
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

#include "emulator/base/dice.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/random_words.hpp"
#include "emulator/node/reduction.hpp"

namespace kport {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(TheTableOfOperators, SaysOfEachWhatDrawsDoNotRefute) {
    for (const Operator& op : operators())
        for (const ElementType& type : {ElementType::int64, ElementType::real})
            if (op.on(type) != nullptr) {
                EXPECT_NO_THROW(require_claims(op, type, 16)) << name(op) << name(type);
            }
    std::vector<std::string_view> commutative;
    std::vector<std::string_view> idempotent;
    for (const Operator& op : operators()) {
        if (op->commutative) commutative.push_back(name(op));
        if (op->idempotent) idempotent.push_back(name(op));
        EXPECT_FALSE(op.is_own());
    }
    EXPECT_THAT(commutative, ElementsAre("sum", "min", "max", "xor"));
    EXPECT_THAT(idempotent, ElementsAre("min", "max"));
}

TEST(TheTableOfOperators, IsDefinedOnTheTypesThatItNames) {
    const auto types = [](const Operator& op) {
        std::vector<std::string_view> names;
        for (const Folding& folding : op->on) names.push_back(folding.type->name);
        return names;
    };
    for (const Operator& op : {Operator::sum, Operator::min, Operator::max})
        EXPECT_THAT(types(op), ElementsAre("int64", "double"));
    EXPECT_THAT(types(Operator::exclusive_or), ElementsAre("int64"));
    EXPECT_THAT(types(Operator::concat), ElementsAre("string"));
}

TEST(TheTableOfOperators, FoldsManyElementsAsItFoldsEachHoweverManyAndInPlaceToo) {
    // Lengths around those from which wide registers are used, and around what fills one.
    for (const std::uint64_t count : {1U, 7U, 8U, 63U, 64U, 65U, 71U, 72U, 127U, 1001U})
        for (const Operator& op : operators())
            for (const Folding& folding : op->on) {
                if (folding.fold_word == nullptr) continue;
                SCOPED_TRACE(fmt::format("{} of {} {}", name(op), count, folding.type->name));
                std::vector<std::uint64_t> left(count + 1);
                std::vector<std::uint64_t> right(count + 1);
                Dice dice(count);
                for (std::uint64_t i = 0; i < count; ++i)
                    for (std::vector<std::uint64_t>* some : {&left, &right})
                        folding.type->sample(*folding.type, dice, 16,
                                             std::as_writable_bytes(std::span(*some)).data() + 8 * i);
                std::vector<std::uint64_t> each(count + 1);
                for (std::uint64_t i = 0; i < count; ++i) each[i] = folding.fold_word(folding, left[i], right[i]);
                const auto folded = [&](std::vector<std::uint64_t>& into, const auto& a, const auto& b) {
                    const auto bytes = [](const auto& some) { return std::as_bytes(std::span(some)).data(); };
                    folding.fold(folding, std::as_writable_bytes(std::span(into)).data(), bytes(a), bytes(b),
                                 8 * count);
                    return into;
                };
                std::vector<std::uint64_t> apart(count + 1);
                EXPECT_EQ(folded(apart, left, right), each);
                std::vector<std::uint64_t> on_left = left;
                EXPECT_EQ(folded(on_left, on_left, right), each);
                std::vector<std::uint64_t> on_right = right;
                EXPECT_EQ(folded(on_right, left, on_right), each);
            }
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
