/// @file reduction_test.cpp   Every operator on every type, against plain arithmetic; what is refused; values given as text.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/node/reduction.hpp"
#include "emulator/node/running.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

constexpr std::int64_t int_min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t int_max = std::numeric_limits<std::int64_t>::max();

/// The operators written out once more.
std::uint64_t plain(Operator op, ElementType type, std::uint64_t left, std::uint64_t right) {
    if (type == ElementType::real) {
        const auto a = std::bit_cast<double>(left);
        const auto b = std::bit_cast<double>(right);
        if (op == Operator::sum) return std::bit_cast<std::uint64_t>(a + b);
        if (a == b) return std::signbit(a) == (op == Operator::min) ? left : right;  // of two zeros -0 is the lower one
        return std::bit_cast<std::uint64_t>(op == Operator::min ? std::min(a, b) : std::max(a, b));
    }
    const auto a = std::bit_cast<std::int64_t>(left);
    const auto b = std::bit_cast<std::int64_t>(right);
    if (op == Operator::sum) return left + right;  // wraps around
    if (op == Operator::min) return std::bit_cast<std::uint64_t>(std::min(a, b));
    if (op == Operator::max) return std::bit_cast<std::uint64_t>(std::max(a, b));
    return left ^ right;
}

struct Kind {
    Operator op;
    ElementType type;
};
const Kind number_kinds[] = {
    {Operator::sum, ElementType::int64}, {Operator::min, ElementType::int64},
    {Operator::max, ElementType::int64}, {Operator::exclusive_or, ElementType::int64},
    {Operator::sum, ElementType::real},  {Operator::min, ElementType::real},
    {Operator::max, ElementType::real},
};

std::uint64_t any_element(ElementType type) {
    if (type == ElementType::real)
        return std::bit_cast<std::uint64_t>(
            *rc::gen::oneOf(rc::gen::map(rc::gen::inRange(-1000000, 1000000), [](int n) { return n / 8.0; }),
                            rc::gen::element(0.0, -0.0, std::numeric_limits<double>::infinity(),
                                             -std::numeric_limits<double>::infinity(), 1e308, -1e308, 5e-324)));
    return std::bit_cast<std::uint64_t>(*rc::gen::oneOf(
        rc::gen::inRange<std::int64_t>(-5, 5), rc::gen::arbitrary<std::int64_t>(), rc::gen::element(int_min, int_max)));
}

/// A value of the given elements and the contributions first .. first + count - 1.
Body* body_of(const std::vector<std::uint64_t>& elements, std::uint32_t first, std::uint32_t count, FramePool& pool) {
    const PacketBlock block{first, 1, count};
    Body* body = Body::make({&block, 1}, elements.size() * 8, pool);
    std::memcpy(body->bytes(), elements.data(), elements.size() * 8);
    return body;
}
std::vector<std::uint64_t> elements_of(const Body& body) {
    std::vector<std::uint64_t> elements(body.byte_count() / 8);
    std::memcpy(elements.data(), body.bytes(), body.byte_count());
    return elements;
}
std::string text_of(const Body& body) {
    return {reinterpret_cast<const char*>(body.bytes()), static_cast<std::size_t>(body.byte_count())};
}
std::string text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// ----------------------------------------------------------------------------------------------------------- operators

RC_GTEST_PROP(AFolder, FoldsElementsAsTheOperatorSays, ()) {
    for (const Kind& kind : number_kinds) {
        const Folder folder({kind.op, kind.type, {}}, 8, 1, true);
        RC_ASSERT(folder.has_elements());
        const std::uint64_t left = any_element(kind.type);
        const std::uint64_t right = any_element(kind.type);
        RC_ASSERT(folder.fold(left, right) == plain(kind.op, kind.type, left, right));
    }
}

RC_GTEST_PROP(AFolder, FoldsBodiesElementByElementAndKeepsTheirContributions, ()) {
    FramePool pool;
    for (const Kind& kind : number_kinds) {
        const auto count = *rc::gen::inRange<std::size_t>(1, 5);
        std::vector<std::uint64_t> left;
        std::vector<std::uint64_t> right;
        std::vector<std::uint64_t> expected;
        for (std::size_t i = 0; i < count; ++i) {
            left.push_back(any_element(kind.type));
            right.push_back(any_element(kind.type));
            expected.push_back(plain(kind.op, kind.type, left.back(), right.back()));
        }
        const Folder folder({kind.op, kind.type, {}}, count * 8, 1, true);
        RC_ASSERT(folder.has_elements() == (count == 1));
        Body* a = body_of(left, 0, 2, pool);
        const bool neighbours = *rc::gen::element(true, false);
        Body* b = body_of(right, neighbours ? 2 : 5, 3, pool);
        Body* both = folder.fold(*a, *b, pool);
        RC_ASSERT(elements_of(*both) == expected);
        RC_ASSERT(folder.intact(*both));
        RC_ASSERT(size_of(both->blocks()) == 5U);
        RC_ASSERT(both->blocks().size() == (neighbours ? 1U : 2U));
        RC_ASSERT(common_size(both->blocks(), a->blocks()) == 2U);
        RC_ASSERT(common_size(both->blocks(), b->blocks()) == 3U);
        // As plain bytes, as the sequential fold of a check does it.
        std::vector<std::byte> bytes(a->bytes(), a->bytes() + a->byte_count());
        folder.fold(bytes, std::vector<std::byte>(b->bytes(), b->bytes() + b->byte_count()));
        RC_ASSERT(std::equal(bytes.begin(), bytes.end(), both->bytes(), both->bytes() + both->byte_count()));
        for (Body* body : {a, b, both}) body->release(pool);
    }
}

TEST(AFolder, ConcatenatesLeftBeforeRight) {
    FramePool pool;
    const Folder folder({Operator::concat, ElementType::text, {"one ", "", "three"}}, 8, 1, true);
    EXPECT_FALSE(folder.has_elements());
    Body* first = folder.contribution(0, pool);
    Body* second = folder.contribution(1, pool);
    Body* third = folder.contribution(2, pool);
    EXPECT_EQ(text_of(*first), "one ");
    EXPECT_EQ(second->byte_count(), 0U);
    Body* left = folder.fold(*first, *second, pool);
    Body* right_order = folder.fold(*left, *third, pool);
    Body* wrong_order = folder.fold(*third, *left, pool);
    EXPECT_EQ(text_of(*right_order), "one three");
    EXPECT_EQ(text_of(*wrong_order), "threeone ");
    EXPECT_EQ(size_of(wrong_order->blocks()), 3U);
    EXPECT_EQ(folder.text(right_order->bytes(), right_order->byte_count()), "one three");
    std::vector<std::byte> bytes = folder.contribution(0);
    folder.fold(bytes, folder.contribution(2));
    EXPECT_EQ(text_of(bytes), "one three");
    for (Body* body : {first, second, third, left, right_order, wrong_order}) body->release(pool);
}

TEST(AReduction, IsCommutativeUnlessItConcatenates) {
    for (const Kind& kind : number_kinds) EXPECT_TRUE((Reduction{kind.op, kind.type, {}}.commutative()));
    EXPECT_FALSE((Reduction{Operator::concat, ElementType::text, {}}.commutative()));
}

TEST(AReduction, NamesItsOperatorsAndTypesAsTheCommandLineDoes) {
    EXPECT_EQ(name(Operator::sum), "sum");
    EXPECT_EQ(name(Operator::min), "min");
    EXPECT_EQ(name(Operator::max), "max");
    EXPECT_EQ(name(Operator::exclusive_or), "xor");
    EXPECT_EQ(name(Operator::concat), "concat");
    EXPECT_EQ(name(ElementType::int64), "int64");
    EXPECT_EQ(name(ElementType::real), "double");
    EXPECT_EQ(name(ElementType::text), "string");
}

// ------------------------------------------------------------------------------------------------------- contributions

RC_GTEST_PROP(AFolder, MakesTheSameContributionAsElementAsBodyAndAsBytes, ()) {
    FramePool pool;
    const Kind kind = number_kinds[*rc::gen::inRange<std::size_t>(0, std::size(number_kinds))];
    std::vector<std::string> values;
    if (*rc::gen::element(true, false)) values = {"3", "-7", "12"};
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto count = *rc::gen::inRange<std::uint64_t>(1, 4);
    const Folder folder({kind.op, kind.type, values}, count * 8, seed, true);
    const Folder elements({kind.op, kind.type, values}, 8, seed, true);
    for (NodeId v = 0; v < 3; ++v) {
        Body* body = folder.contribution(v, pool);
        RC_ASSERT(size_of(body->blocks()) == 1U &&
                  body->blocks().front() == PacketBlock{static_cast<std::uint32_t>(v)});
        const std::vector<std::byte> bytes = folder.contribution(v);
        RC_ASSERT(bytes.size() == count * 8);
        RC_ASSERT(std::equal(bytes.begin(), bytes.end(), body->bytes(), body->bytes() + body->byte_count()));
        RC_ASSERT(elements_of(*body).front() == elements.element(v));
        body->release(pool);
    }
}

/// Some segments, at least one: a progression, or any.
PacketSet any_segments(std::uint32_t segments) {
    const auto first = *rc::gen::inRange<std::uint32_t>(0, segments);
    const auto stride = *rc::gen::inRange<std::uint32_t>(1, 5);
    PacketSet some(
        PacketBlock{first, stride, *rc::gen::inRange<std::uint32_t>(1, (segments - 1 - first) / stride + 2)});
    if (*rc::gen::inRange(0, 2) == 0) return some;
    for (std::uint32_t left = *rc::gen::inRange(0U, segments); left > 0; --left) {
        const PacketBlock one{*rc::gen::inRange<std::uint32_t>(0, segments)};
        some.include({&one, 1});
    }
    return some;
}

RC_GTEST_PROP(AFolder, CutsContributesAndJoinsSegmentsAsOneByOne, ()) {
    FramePool pool;
    const auto segments = *rc::gen::inRange<std::uint32_t>(2, 30);
    const auto each = *rc::gen::element<std::uint64_t>(8, 16, 64);
    const Folder folder({}, each, 1, true, segments);
    constexpr NodeId v = 3;
    Body* const whole = folder.contribution(v, pool);
    const PacketSet some = any_segments(segments);
    std::vector<std::byte> right;
    for (std::uint32_t segment = 0; segment < segments; ++segment)
        if (const PacketBlock one{segment}; some.covers({&one, 1}))
            right.insert(right.end(), whole->bytes() + segment * each, whole->bytes() + (segment + 1) * each);
    Body* const cut = folder.cut(*whole, some, pool);
    Body* const made = folder.contribution(v, some, pool);
    for (const Body* part : {cut, made}) {
        RC_ASSERT(std::ranges::equal(part->content(), right));
        RC_ASSERT(folder.intact(*part));
        PacketSet contributions;
        contributions.add(part->blocks());
        const PacketSet rows = rows_of(contributions.blocks());
        RC_ASSERT(rows.size() == some.size() && rows.covers(some.blocks()));
    }
    PacketSet others = PacketSet::range(0, segments);
    others.remove(some);
    if (!others.empty()) {
        Body* const rest = folder.contribution(v, others, pool);
        const Body* const both[] = {rest, cut};
        bool intact = false;
        Body* const joined = folder.joined(both, PacketSet::range(0, segments), pool, intact);
        RC_ASSERT(intact);
        RC_ASSERT(std::ranges::equal(joined->content(), whole->content()));
        RC_ASSERT(folder.intact(*joined));
        for (Body* body : {rest, joined}) body->release(pool);
    }
    for (Body* body : {whole, cut, made}) body->release(pool);
}

/// Runs of random nodes in random segments: what is merged, cut, joined and taken apart again is what each segment gives alone.
RC_GTEST_PROP(AFolder, KeepsRunsApartInEachSegmentByItself, ()) {
    FramePool pool;
    const RunsNodes runs_nodes(pool);
    const auto segments = *rc::gen::inRange<std::uint32_t>(2, 6);
    const bool texts = *rc::gen::element(true, false);
    const Reduction reduction = texts ? Reduction{Operator::concat, ElementType::text, {}} : Reduction{};
    const Folder folder(reduction, 16, 1, true, segments);
    constexpr NodeId nodes = 6;
    std::vector<const Body*> made;
    std::vector<std::vector<NodeId>> who(segments);  // contribute
    for (NodeId v = 0; v < nodes; ++v) {
        const PacketSet some = any_segments(segments);
        made.push_back(folder.contribution(v, some, pool));
        for (std::uint32_t s = 0; s < segments; ++s)
            if (const PacketBlock one{s}; some.covers({&one, 1})) who[s].push_back(v);
    }
    Body* const merged = folder.merged(made, pool);
    RC_ASSERT(folder.intact(*merged));
    std::vector<std::byte> right;
    for (std::uint32_t s = 0; s < segments; ++s) {
        std::vector<std::byte> one;
        NodeId next = nodes;
        for (const NodeId v : who[s]) {
            const std::vector<std::byte> bytes = folder.contribution(v);
            const auto own = std::span(bytes).subspan(texts ? 0 : s * 16, texts ? bytes.size() : 16);
            if (v == next && !texts)
                folder.fold(one.data() + one.size() - 16, one.data() + one.size() - 16, own.data(), 16);
            else
                one.insert(one.end(), own.begin(), own.end());
            next = v + 1;
        }
        const PacketSet segment(PacketBlock{s});
        if (!who[s].empty()) {
            Body* const cut = folder.cut(*merged, segment, pool);
            RC_ASSERT(std::ranges::equal(cut->content(), one));
            RC_ASSERT(folder.intact(*cut));
            cut->release(pool);
        }
        right.insert(right.end(), one.begin(), one.end());
    }
    RC_ASSERT(std::ranges::equal(merged->content(), right));
    const std::vector<Value> runs = folder.runs(*merged, pool);
    std::vector<const Body*> parts;
    for (const Value& run : runs) {
        RC_ASSERT(runs_of(columns_of(run.body()->blocks()).blocks()).size() == 1 && folder.intact(*run.body()));
        parts.push_back(run.body());
    }
    const Body* const again = folder.merged(parts, pool);
    RC_ASSERT(std::ranges::equal(again->content(), right));
    made.push_back(merged);
    made.push_back(again);
    for (const Body* body : made) const_cast<Body*>(body)->release(pool);
}

TEST(AFolder, ReadsContributionsGivenAsText) {
    const Folder ints({Operator::sum, ElementType::int64, {"7", "-9223372036854775808"}}, 8, 1, true);
    EXPECT_EQ(std::bit_cast<std::int64_t>(ints.element(0)), 7);
    EXPECT_EQ(std::bit_cast<std::int64_t>(ints.element(1)), int_min);
    const Folder reals({Operator::sum, ElementType::real, {"2.5", "-1e3"}}, 8, 1, true);
    EXPECT_EQ(std::bit_cast<double>(reals.element(0)), 2.5);
    EXPECT_EQ(std::bit_cast<double>(reals.element(1)), -1000.0);
}

TEST(AFolder, DrawsSmallWholeNumbersSoThatSumsOfDoublesAreExact) {
    for (std::uint64_t seed = 1; seed < 4; ++seed) {
        const Folder reals({Operator::sum, ElementType::real, {}}, 8, seed, true);
        const Folder ints({Operator::sum, ElementType::int64, {}}, 8, seed, true);
        for (NodeId v = 0; v < 200; ++v) {
            const auto drawn = std::bit_cast<double>(reals.element(v));
            EXPECT_EQ(drawn, static_cast<double>(ints.element(v)));
            EXPECT_TRUE(drawn >= 0 && drawn < 1000);
        }
    }
}

TEST(AFolder, MakesTextsOfTheNodeNumbersByDefault) {
    const Folder folder({Operator::concat, ElementType::text, {}}, 8, 1, true);
    EXPECT_EQ(text_of(folder.contribution(0)), "0.");
    EXPECT_EQ(text_of(folder.contribution(12)), "12.");
}

TEST(AFolder, WithoutPayloadTracksContributionsOnly) {
    FramePool pool;
    for (const Reduction& reduction :
         {Reduction{Operator::sum, ElementType::int64, {}}, Reduction{Operator::concat, ElementType::text, {}}}) {
        const Folder folder(reduction, 64, 1, false);
        EXPECT_EQ(folder.has_elements(), reduction.op == Operator::sum);
        Body* left = folder.contribution(0, pool);
        Body* right = folder.contribution(1, pool);
        Body* both = folder.fold(*left, *right, pool);
        EXPECT_EQ(both->byte_count(), 0U);
        EXPECT_EQ(size_of(both->blocks()), 2U);
        for (Body* body : {left, right, both}) body->release(pool);
    }
}

TEST(AFolder, FoldsBodiesOfSeveralBlocks) {
    FramePool pool;
    const Folder folder({}, 16, 1, true);
    Body* even = body_of({1, 2}, 0, 1, pool);
    Body* far = body_of({10, 20}, 5, 2, pool);
    Body* two = folder.fold(*even, *far, pool);
    Body* more = body_of({100, 200}, 9, 1, pool);
    Body* left = folder.fold(*two, *more, pool);
    Body* right = folder.fold(*more, *two, pool);
    for (const Body* both : {left, right}) {
        EXPECT_EQ(size_of(both->blocks()), 4U);
        EXPECT_EQ(elements_of(*both), (std::vector<std::uint64_t>{111, 222}));
    }
    std::vector<std::byte> bytes(16);
    folder.fold(bytes.data(), two->bytes(), more->bytes(), 16);
    EXPECT_EQ(std::memcmp(bytes.data(), left->bytes(), 16), 0);
    for (Body* body : {even, far, two, more, left, right}) body->release(pool);
}

TEST(AFolder, MakesABodyOfAnElement) {
    FramePool pool;
    for (const bool payload : {true, false}) {
        const Folder folder({Operator::sum, ElementType::int64, {"3", "4"}}, 8, 1, payload);
        Body* body = folder.body_of(Element({6}, 17), pool);
        ASSERT_EQ(body->blocks().size(), 1U);
        EXPECT_EQ(body->blocks().front(), PacketBlock{6});
        EXPECT_EQ(body->byte_count(), payload ? 8U : 0U);
        if (payload) {
            EXPECT_EQ(elements_of(*body), std::vector<std::uint64_t>{17});
        }
        EXPECT_EQ(folder.element(1), payload ? 4U : 0U);
        EXPECT_EQ(folder.fold(3, 4), payload ? 7U : 0U);
        body->release(pool);
    }
    EXPECT_FALSE(Folder({}, 0, 1, true).has_elements());
    const Folder three({Operator::sum, ElementType::int64, {"5"}}, 24, 1, true);
    Body* body = three.contribution(0, pool);
    EXPECT_EQ(elements_of(*body), (std::vector<std::uint64_t>{5, 5, 5}));
    body->release(pool);
}

TEST(AFolder, FormatsValuesAsText) {
    const auto shown = [](const Reduction& reduction, const std::vector<std::uint64_t>& elements) {
        const Folder folder(reduction, elements.size() * 8, 1, true);
        return folder.text(reinterpret_cast<const std::byte*>(elements.data()), elements.size() * 8);
    };
    EXPECT_EQ(shown({Operator::sum, ElementType::int64, {}}, {std::bit_cast<std::uint64_t>(std::int64_t{-17}), 3}),
              "-17");
    EXPECT_EQ(shown({Operator::sum, ElementType::real, {}}, {std::bit_cast<std::uint64_t>(2.5)}), "2.5");
    EXPECT_EQ(shown({Operator::sum, ElementType::int64, {}}, {}), "");
    for (const double none : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN()})
        EXPECT_EQ(shown({Operator::sum, ElementType::real, {}}, {std::bit_cast<std::uint64_t>(none)}), "nan");
}

// ------------------------------------------------------------------------------------------------------------- refusals

std::string refusal(const Reduction& reduction, NodeId nodes = 3, std::uint64_t packet_bytes = 8) {
    try {
        require_valid(reduction, nodes, packet_bytes);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "";
}

TEST(AReduction, IsRefusedWhereTheOperatorIsNotDefinedForTheType) {
    for (const Operator& op : {Operator::sum, Operator::min, Operator::max, Operator::exclusive_or})
        EXPECT_THAT(refusal({op, ElementType::text, {}}),
                    HasSubstr(fmt::format("op {} is not defined for type string", name(op))));
    EXPECT_THAT(refusal({Operator::sum, ElementType::text, {}}), HasSubstr("strings know concat alone"));
    EXPECT_THAT(refusal({Operator::concat, ElementType::int64, {}}), HasSubstr("concat wants type string"));
    EXPECT_THAT(refusal({Operator::concat, ElementType::real, {}}), HasSubstr("concat wants type string"));
    EXPECT_THAT(refusal({Operator::exclusive_or, ElementType::real, {}}), HasSubstr("xor wants type int64"));
    for (const Kind& kind : number_kinds) EXPECT_EQ(refusal({kind.op, kind.type, {}}), "");
    EXPECT_EQ(refusal({Operator::concat, ElementType::text, {}}), "");
}

TEST(AReduction, IsRefusedWhereAPacketDoesNotHoldWholeElements) {
    EXPECT_THAT(refusal({}, 3, 12), HasSubstr("packet_bytes 12"));
    EXPECT_EQ(refusal({}, 3, 16), "");
    EXPECT_EQ(refusal({}, 3, 0), "");
    EXPECT_EQ(refusal({Operator::concat, ElementType::text, {}}, 3, 12), "");
}

TEST(AReduction, IsRefusedForTheWrongNumberOfValues) {
    EXPECT_THAT(refusal({Operator::sum, ElementType::int64, {"1"}}),
                HasSubstr("gives 1 value; want one for each of the 3 nodes"));
    EXPECT_THAT(refusal({Operator::sum, ElementType::int64, {"1", "2", "3", "4"}}), HasSubstr("gives 4 values"));
    EXPECT_EQ(refusal({Operator::sum, ElementType::int64, {"1", "2", "3"}}), "");
}

TEST(AReduction, IsRefusedForValuesThatAreNoNumbersOfTheType) {
    for (const char* wrong : {"", "x", "1x", " 1", "1.5", "9223372036854775808", "+1", "0x10"})
        EXPECT_THAT(refusal({Operator::sum, ElementType::int64, {"1", wrong, "3"}}), HasSubstr("is not of type int64"))
            << wrong;
    for (const char* wrong : {"", "x", "1.5x", " 1", "nan", "-nan"})
        EXPECT_THAT(refusal({Operator::sum, ElementType::real, {"1", wrong, "3"}}), HasSubstr("is not of type double"))
            << wrong;
    EXPECT_EQ(refusal({Operator::sum, ElementType::real, {"1", "-2.5e-3", "3"}}), "");
    EXPECT_EQ(refusal({Operator::concat, ElementType::text, {"", "x", " "}}), "");
}

}  // namespace
}  // namespace kport
