/// @file results_test.cpp   A result of a reduction is compared with the contributions folded one after the other: byte for
///                          byte, but for the rounding of doubles that were given.
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/engine/job.hpp"
#include "emulator/engine/results.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using Bytes = std::vector<std::byte>;
using Difference = std::optional<std::uint64_t>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();

Bytes bytes_of(const std::vector<double>& elements) {
    Bytes bytes(elements.size() * sizeof(double));
    if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
    return bytes;
}

Reduction reals(Operator op, std::vector<std::string> values) {
    Reduction reduction;
    reduction.op = op;
    reduction.type = ElementType::real;
    reduction.values = std::move(values);
    return reduction;
}

/// Where `result` differs from all contributions folded, of `elements` elements each.
Difference difference(const Reduction& reduction, NodeId nodes, std::size_t elements, const Bytes& result) {
    const Folder folder(reduction, elements * sizeof(double), 1, true);
    SequentialFold all(folder);
    for (NodeId v = 0; v < nodes; ++v) all.add_next();
    return all.first_difference(result);
}

/// All contributions folded, as the library folds them.
Bytes folded(const Folder& folder, NodeId nodes) {
    Bytes all = folder.contribution(0);
    for (NodeId v = 1; v < nodes; ++v) folder.fold(all, folder.contribution(v));
    return all;
}

TEST(SequentialFold, FindsTheFirstByteThatDiffers) {
    for (const ElementType& type : {ElementType::int64, ElementType::real}) {
        Reduction reduction;
        reduction.type = type;
        const Bytes right = folded(Folder(reduction, 16, 1, true), 5);
        EXPECT_EQ(difference(reduction, 5, 2, right), std::nullopt);
        EXPECT_EQ(difference(reduction, 4, 2, right).has_value(), true) << "a contribution less";
        for (std::size_t i = 0; i < right.size(); ++i) {
            Bytes wrong = right;
            wrong[i] ^= std::byte{1};
            EXPECT_EQ(difference(reduction, 5, 2, wrong), i);
        }
        EXPECT_EQ(difference(reduction, 5, 2, {right.begin(), right.begin() + 8}), 8U) << "one element less";
        Bytes longer = right;
        longer.resize(24);
        EXPECT_EQ(difference(reduction, 5, 2, longer), 16U) << "one element more";
        EXPECT_EQ(difference(reduction, 5, 0, {}), std::nullopt) << "no bytes at all";
    }
}

TEST(SequentialFold, LetsASumOfGivenDoublesDifferByItsRounding) {
    // Four ones: at most 2 (N - 1) epsilon (|1| + |1| + |1| + |1|) = 24 epsilon; 4 itself is rounded to 4 epsilon.
    const Reduction ones = reals(Operator::sum, {"1", "1", "1", "1"});
    for (const double direction : {1.0, -1.0}) {
        EXPECT_EQ(difference(ones, 4, 1, bytes_of({4 + direction * 24 * epsilon})), std::nullopt);
        EXPECT_NE(difference(ones, 4, 1, bytes_of({4 + direction * 28 * epsilon})), std::nullopt);
        EXPECT_EQ(difference(ones, 4, 2, bytes_of({4, 4 + direction * 28 * epsilon})), 8U) << "in any element";
        EXPECT_EQ(difference(ones, 4, 3, bytes_of({4 + direction * 24 * epsilon, 4 + direction * 28 * epsilon, 4})), 8U)
            << "what is rounded before it is no difference";
    }
    const Reduction both_signs = reals(Operator::sum, {"1", "-1", "1", "-1"});
    EXPECT_EQ(difference(both_signs, 4, 1, bytes_of({24 * epsilon})), std::nullopt) << "by what was summed up";
    EXPECT_NE(difference(both_signs, 4, 1, bytes_of({25 * epsilon})), std::nullopt);
}

TEST(SequentialFold, ComparesExactTypesExactly) {
    const auto just_above = [](double value) { return bytes_of({std::nextafter(value, infinity)}); };
    EXPECT_NE(difference(reals(Operator::max, {"1", "2", "4"}), 3, 1, just_above(4)), std::nullopt);
    EXPECT_NE(difference(reals(Operator::min, {"1", "2", "4"}), 3, 1, just_above(1)), std::nullopt);
    // Contributions drawn by the seed are small whole numbers.
    const Bytes drawn = folded(Folder(reals(Operator::sum, {}), 8, 1, true), 4);
    double sum = 0;
    std::memcpy(&sum, drawn.data(), sizeof sum);
    EXPECT_EQ(difference(reals(Operator::sum, {}), 4, 1, drawn), std::nullopt);
    EXPECT_NE(difference(reals(Operator::sum, {}), 4, 1, just_above(sum)), std::nullopt);
}

TEST(SequentialFold, TellsZerosOfBothSignsApartWhereNothingIsRounded) {
    EXPECT_NE(difference(reals(Operator::max, {"0", "0"}), 2, 1, bytes_of({-0.0})), std::nullopt);
    EXPECT_EQ(difference(reals(Operator::max, {"0", "-0"}), 2, 1, bytes_of({0.0})), std::nullopt);
    EXPECT_EQ(difference(reals(Operator::min, {"0", "-0"}), 2, 1, bytes_of({-0.0})), std::nullopt);
    EXPECT_EQ(difference(reals(Operator::sum, {"0", "0"}), 2, 1, bytes_of({-0.0})), std::nullopt);
}

TEST(SequentialFold, RulesNothingOutWherePartialSumsMayOverflow) {
    const Reduction large = reals(Operator::sum, {"1e308", "1e308", "-1e308", "-1e308"});
    for (const double bracketed : {0.0, infinity, -infinity, none, -none})
        EXPECT_EQ(difference(large, 4, 1, bytes_of({bracketed})), std::nullopt);
    EXPECT_NE(difference(large, 4, 2, bytes_of({0})), std::nullopt) << "an element less";
    EXPECT_EQ(difference(large, 4, 2, bytes_of({infinity, -infinity})), std::nullopt);
    EXPECT_EQ(difference(large, 4, 2, bytes_of({infinity, 1e308})), 8U) << "every element is judged";
    EXPECT_NE(difference(large, 1, 1, bytes_of({infinity})), std::nullopt) << "a prefix of one";
    EXPECT_NE(difference(reals(Operator::sum, {"1", "1"}), 2, 1, bytes_of({none})), std::nullopt);
    EXPECT_NE(difference(reals(Operator::max, {"1e308", "1e308"}), 2, 1, bytes_of({infinity})), std::nullopt);
}

TEST(SequentialFold, LetsNoNumberPassThatNoBracketingGivesWherePartialSumsOverflow) {
    const Reduction large = reals(Operator::sum, {"1e308", "1e308", "-1e308", "5e307"});
    EXPECT_EQ(difference(large, 4, 1, bytes_of({1.5e308})), std::nullopt) << "the sum";
    for (const double forged : {0.0, 1.0, 1e308, -1.5e308, 1.7e308})
        EXPECT_NE(difference(large, 4, 1, bytes_of({forged})), std::nullopt) << forged;
    // Of an infinity, or of two that cancel, no sum is a number.
    for (const char* other : {"inf", "-inf", "1"}) {
        const Reduction infinite = reals(Operator::sum, {"1", "inf", other});
        for (const double forged : {0.0, 2.0, 1e308})
            EXPECT_NE(difference(infinite, 3, 1, bytes_of({forged})), std::nullopt) << other;
    }
    EXPECT_EQ(difference(reals(Operator::sum, {"1", "inf", "1"}), 3, 1, bytes_of({infinity})), std::nullopt);
    EXPECT_EQ(difference(reals(Operator::sum, {"1", "inf", "-inf"}), 3, 1, bytes_of({none})), std::nullopt);
}

/// The answer of verify_results() for these results by node; "" for a node without one.
struct Said {
    std::vector<std::string> shown;
    std::vector<std::pair<NodeId, std::uint64_t>> differ;  ///< nodes, and the first byte
};

Said said(Operation operation, NodeId root, const std::vector<std::string>& results, bool payload = true) {
    const NodeId nodes = results.size();
    const Folder contributions(reals(Operator::sum, std::vector<std::string>(nodes, "1")), 8, 1, payload);
    FramePool pool;
    NodeArray<Body*> given(nodes);
    const Folder as_given(reals(Operator::sum,
                                [&] {
                                    std::vector<std::string> numbers = results;
                                    for (std::string& number : numbers)
                                        if (number.empty()) number = "0";
                                    return numbers;
                                }()),
                          8, 1, true);
    for (NodeId v = 0; v < nodes; ++v)
        if (!results[v].empty()) {
            given[v] = as_given.contribution(v, pool);
            given[v]->seal = contributions.seal_of(*given[v]);
        }
    const Collective collective{operation, root, 8};
    Auditor auditor(test::machine(fmt::format("line:{}", nodes)), collective, 1, false);
    Said all;
    all.shown = texts_of(verify_results(contributions, collective, nodes, given, auditor, shown_results_max));
    for (const Violation& v : auditor.finish_stopped().violations) {
        EXPECT_EQ(v.breach, Breach::result_differs);
        all.differ.emplace_back(v.node, v.limit);
    }
    for (NodeId v = 0; v < nodes; ++v)
        if (given[v] != nullptr) given[v]->release(pool);
    return all;
}

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(Results, OfAnAllreduceAreTheTotalAtEveryNode) {
    const Said all = said(Operation::allreduce, 0, {"4", "3", "", "4"});
    EXPECT_THAT(all.shown, ElementsAre("4", "3", "4"));
    EXPECT_THAT(all.differ, ElementsAre(Pair(1, 6U))) << "3 and 4 differ from the seventh byte on";
}

TEST(Results, OfAScanAreThePrefixes) {
    const Said all = said(Operation::scan, 0, {"1", "2", "4", ""});
    EXPECT_THAT(all.shown, ElementsAre("1", "2", "4"));
    EXPECT_THAT(all.differ, ElementsAre(Pair(2, 6U)));
}

TEST(Results, OfTheFirstNodesAndOfTheRootAreShown) {
    std::vector<std::string> results(shown_results_max + 2, "66");
    const Said all = said(Operation::allreduce, 0, results);
    EXPECT_EQ(all.shown.size(), shown_results_max);
    EXPECT_THAT(all.differ, IsEmpty());
    std::fill(results.begin(), results.end(), "");
    results.back() = "66";
    EXPECT_THAT(said(Operation::reduce, shown_results_max + 1, results).shown, ElementsAre("66"));
    EXPECT_THAT(said(Operation::allreduce, 0, results).shown, IsEmpty());
}

TEST(Results, OfNodesThatOweNoneAreNeitherComparedNorShown) {
    const Said all = said(Operation::reduce, 1, {"7", "3", "2"});
    EXPECT_THAT(all.shown, ElementsAre("3"));
    EXPECT_THAT(all.differ, IsEmpty());
}

TEST(Results, WithoutBytesAreNotCompared) {
    const Said all = said(Operation::allreduce, 0, {"1", "2"}, false);
    EXPECT_THAT(all.shown, IsEmpty());
    EXPECT_THAT(all.differ, IsEmpty());
}

}  // namespace
}  // namespace kport
