/// @file result_test.cpp   The result of a reduction sums up each of its contributions once, and no other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::machine;
using testing::ElementsAre;
using testing::IsEmpty;

/// The auditor's findings for a result of node 1 of line:4, to which every contribution has come alone.
std::vector<Violation> told(Operation operation, std::span<const PacketBlock> contributions,
                            std::span<const PacketBlock> twice = {}) {
    const Machine line = machine("line:4");
    const Schedule schedule = test::schedule(*line.topology, {{1, 0, 1, {}, {PacketBlock{0}}},
                                                              {1, 3, 2, {}, {PacketBlock{3}}},
                                                              {2, 2, 1, {}, {PacketBlock{2}}},
                                                              {3, 2, 1, {}, {PacketBlock{3}}}});
    ScheduleAudit rounds(schedule, line, {operation, 0, 8}, false);
    while (rounds.next()) {
    }
    Auditor& auditor = rounds.auditor();
    auditor.result(0, 4, 1, contributions, twice);
    const Verdict verdict = auditor.finish_stopped();
    EXPECT_EQ(verdict.holders, verdict.violations.empty() ? 1U : 0U);
    for (const Violation& v : verdict.violations) {
        EXPECT_EQ(v.round, 4U);
        EXPECT_EQ(v.node, 1U);
        EXPECT_EQ(v.other, no_node) << "nobody else has to do with it";
    }
    return verdict.violations;
}

auto is(Breach breach, PacketId packet) {
    return testing::AllOf(testing::Field(&Violation::breach, breach), testing::Field(&Violation::packet, packet));
}

PacketBlock some(std::uint32_t first, std::uint32_t count = 1) { return {first, 1, count}; }

TEST(AResultIsRight, WhereEachContributionStandsInItOnce) {
    EXPECT_THAT(told(Operation::allreduce, std::vector{some(0, 4)}), IsEmpty());
    EXPECT_THAT(told(Operation::allreduce, std::vector{some(2, 2), some(0), some(1)}), IsEmpty());
    EXPECT_THAT(told(Operation::scan, std::vector{some(0, 2)}), IsEmpty());
}

TEST(AResultIsWrong, WhereItLacksOrExceedsWhateverItsSize) {
    EXPECT_THAT(told(Operation::allreduce, std::vector{some(0, 3)}), ElementsAre(is(Breach::result_lacks, 3)));
    EXPECT_THAT(told(Operation::scan, std::vector{some(0, 3)}), ElementsAre(is(Breach::result_exceeds, 2)));
    EXPECT_THAT(told(Operation::scan, std::vector{some(1, 2)}),
                ElementsAre(is(Breach::result_lacks, 0), is(Breach::result_exceeds, 2)))
        << "as many as there should be, but others";
}

TEST(AResultIsWrong, WhereAContributionStandsInItTwice) {
    EXPECT_THAT(told(Operation::allreduce, std::vector{some(0, 4)}, std::vector{some(2)}),
                ElementsAre(is(Breach::result_exceeds, 2)));
    EXPECT_THAT(told(Operation::allreduce, std::vector{some(0, 2), some(2, 2)}, std::vector{some(3), some(1)}),
                ElementsAre(is(Breach::result_exceeds, 1)))
        << "the lowest is named";
    EXPECT_THAT(told(Operation::allreduce, std::vector{some(0, 3)}, std::vector{some(2)}),
                ElementsAre(is(Breach::result_lacks, 3), is(Breach::result_exceeds, 2)))
        << "as many as there should be, but one twice";
    EXPECT_THAT(told(Operation::scan, std::vector{some(0, 3)}, std::vector{some(0)}),
                ElementsAre(is(Breach::result_exceeds, 2)))
        << "what is not due is named before what is in it twice";
}

}  // namespace
}  // namespace kport
