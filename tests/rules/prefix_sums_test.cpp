/// @file prefix_sums_test.cpp   Algorithm 4.9, prefix sums on a hypercube: as the book prints it, which is wrong for operators
///                              that are not commutative, and with the order of the operands.
///
/// Source   model.md section 6 (the caution on Algorithm 4.9).
#include <utility>
#include <vector>

#include "tests/rules/reductions.hpp"

namespace kport {
namespace {

using test::all_sentences;
using test::machine;
using test::prefix_sums_in_order;
using test::reducing;
using test::the;
using testing::ElementsAre;
using testing::IsEmpty;

const Reduction sum_of_8{Operator::sum, ElementType::int64, {"1", "2", "4", "8", "16", "32", "64", "128"}};
const Reduction concat_of_8{Operator::concat, ElementType::text, {"a", "b", "c", "d", "e", "f", "g", "h"}};

/// As the book prints it: an incoming value is folded on the right, on whichever side its sender is.
Program prefix_sums_as_printed(Node& self) {
    Value result = self.contribution();
    Value message = result;
    for (Port port = 0; port < self.topology().ports(); ++port) {
        co_await self.send(port, message);
        const Arrival arrival = co_await self.receive(port);
        message = self.fold(message, arrival.value());
        if (arrival.from < self.id()) result = self.fold(result, arrival.value());
    }
    self.result(result);
}

/// With the operand order for operators that are not commutative.

TEST(PrefixSumsAsPrinted, AreRightForASum) {
    const Machine cube = machine("hypercube:3");
    const RunResult result = run_lockstep(reducing(cube, Operation::scan, sum_of_8, prefix_sums_as_printed), {});
    EXPECT_THAT(all_sentences(result, cube), IsEmpty());
    EXPECT_TRUE(result.verdict.delivered);
    EXPECT_THAT(result.results, ElementsAre("1", "3", "7", "15", "31", "63", "127", "255"));
}

TEST(PrefixSumsAsPrinted, AreWrongForConcat) {
    const Machine cube = machine("hypercube:3");
    const RunResult result = run_lockstep(reducing(cube, Operation::scan, concat_of_8, prefix_sums_as_printed), {});
    // In each of three phases the four nodes above their partner fold message and result on the wrong side.
    std::vector<std::pair<Round, NodeId>> folds;
    for (const Violation& v : result.verdict.violations)
        if (v.breach == Breach::folded_out_of_order) folds.emplace_back(v.round, v.node);
    EXPECT_EQ(folds.size(), 3U * 4U * 2U);
    EXPECT_EQ(folds.front(), (std::pair<Round, NodeId>{2, 1}));
    EXPECT_THAT(
        all_sentences(result, cube),
        testing::Contains("delivery broken: node 1 folds contribution 1 before 0 in round 2: the operator is not "
                          "commutative: left and right must stand in the order of the nodes")
            .Times(2));
    EXPECT_FALSE(result.verdict.delivered);
    // And every result but that of node 0 is another word.
    std::vector<NodeId> differ;
    for (const Violation& v : result.verdict.violations)
        if (v.breach == Breach::result_differs) differ.push_back(v.node);
    EXPECT_THAT(differ, ElementsAre(1, 2, 3, 4, 5, 6, 7));
    EXPECT_EQ(result.results.front(), "a");
    EXPECT_EQ(result.results[1], "ba");
}

TEST(PrefixSumsInOrder, AreLawfulForEveryOperator) {
    const Machine cube = machine("hypercube:3");
    const RunResult concat = run_lockstep(reducing(cube, Operation::scan, concat_of_8, prefix_sums_in_order(cube)), {});
    EXPECT_THAT(all_sentences(concat, cube), IsEmpty());
    EXPECT_TRUE(concat.verdict.delivered);
    EXPECT_THAT(concat.results, ElementsAre("a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh"));
    for (const Operator& op : {Operator::sum, Operator::min, Operator::max, Operator::exclusive_or})
        for (const ElementType& type : {ElementType::int64, ElementType::real})
            for (const std::uint64_t bytes : {8U, 40U}) {
                if (op == Operator::exclusive_or && type == ElementType::real) continue;
                Job job = reducing(cube, Operation::scan, {op, type, {}}, prefix_sums_in_order(cube));
                job.collective.packet_bytes = bytes;
                EXPECT_THAT(all_sentences(run_lockstep(job, {}), cube), IsEmpty()) << name(op) << name(type) << bytes;
            }
}

TEST(PrefixSumsInOrder, HaveMessagesOfOnePacketAndNeedNoCombining) {
    Machine cube = machine("hypercube:3");
    cube.combining = false;
    Job job = reducing(cube, Operation::scan, sum_of_8, prefix_sums_in_order(cube));
    job.collective.packet_bytes = 16;
    const RunResult result = run_lockstep(job, {});
    EXPECT_TRUE(result.verdict.lawful() && result.verdict.delivered && result.verdict.kept(Rule::combining));
    EXPECT_EQ(result.verdict.metrics.volume, 3U * 16U);
    EXPECT_EQ(result.verdict.metrics.bytes, 24U * 16U);
}

}  // namespace
}  // namespace kport
