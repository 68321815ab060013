/// @file stopped_test.cpp   The verdict on a stopped run: deliveries so far, rules broken so far.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::machine;
using test::Step;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The verdict after the first rounds of a schedule.
Verdict stopped_after(int rounds, Operation operation, NodeId source, const Machine& machine,
                      const std::vector<Step>& steps) {
    const Schedule schedule = test::schedule(*machine.topology, steps);
    ScheduleAudit judged(schedule, machine, {operation, source, 8}, true);
    if (operation.folds()) judged.auditor().expect_no_results();
    while (rounds-- > 0) EXPECT_TRUE(judged.next());
    return judged.finish_stopped();
}

/// In a run without a fault: the number of satisfied promises.
std::uint64_t served(int rounds, Operation operation, NodeId source, const std::string& spec,
                     const std::vector<Step>& steps) {
    const Machine on = machine(spec);
    const Verdict verdict = stopped_after(rounds, operation, source, on, steps);
    EXPECT_EQ(verdict.violation_count, 0U) << test::text(verdict, *on.topology);
    EXPECT_FALSE(verdict.delivered) << "nobody looked";
    EXPECT_EQ(verdict.metrics.rounds, static_cast<std::uint64_t>(rounds));
    EXPECT_EQ(verdict.per_round.size(), static_cast<std::size_t>(rounds));
    EXPECT_EQ(verdict.promised, on.topology->nodes());
    return verdict.holders;
}

std::vector<PacketBlock> packets(std::uint32_t first, std::uint32_t count = 1) { return {{first, 1, count}}; }

TEST(StoppedAudit, OfABroadcastCountsTheNodesReached) {
    const std::vector<Step> along{{1, 0, 1}, {2, 1, 2}, {3, 2, 3}};
    EXPECT_EQ(served(0, Operation::broadcast, 0, "line:4", along), 1U);
    EXPECT_EQ(served(2, Operation::broadcast, 0, "line:4", along), 3U);
    EXPECT_EQ(served(3, Operation::broadcast, 0, "line:4", along), 4U);
}

TEST(StoppedAudit, OfAScatterCountsTheNodesThatHaveTheirPacket) {
    const std::vector<Step> along{
        {1, 0, 1, {}, packets(1, 3)}, {2, 1, 2, {}, packets(2, 2)}, {3, 2, 3, {}, packets(3)}};
    EXPECT_EQ(served(0, Operation::scatter, 0, "line:4", along), 0U) << "nobody has taken part";
    EXPECT_EQ(served(1, Operation::scatter, 0, "line:4", along), 2U);
    EXPECT_EQ(served(3, Operation::scatter, 0, "line:4", along), 4U);
    const std::vector<Step> passed{{1, 0, 1, {}, packets(2)}};
    EXPECT_EQ(served(1, Operation::scatter, 0, "line:3", passed), 1U) << "node 1 has node 2's packet, not its own";
}

TEST(StoppedAudit, OfAGatherCountsThePacketsAtTheRoot) {
    const std::vector<Step> both_sides{
        {1, 0, 1, {}, packets(0)}, {2, 3, 2, {}, packets(3)}, {3, 2, 1, {}, packets(2, 2)}};
    EXPECT_EQ(served(0, Operation::gather, 1, "line:4", both_sides), 1U) << "its own";
    EXPECT_EQ(served(2, Operation::gather, 1, "line:4", both_sides), 2U);
    EXPECT_EQ(served(3, Operation::gather, 1, "line:4", both_sides), 4U);
}

TEST(StoppedAudit, OfAReduceCountsTheContributionsAtTheRoot) {
    const std::vector<Step> both_sides{
        {1, 0, 1, {}, packets(0)}, {2, 3, 2, {}, packets(3)}, {3, 2, 1, {}, packets(2, 2)}};
    EXPECT_EQ(served(2, Operation::reduce, 1, "line:4", both_sides), 2U);
    EXPECT_EQ(served(3, Operation::reduce, 1, "line:4", both_sides), 4U);
}

TEST(StoppedAudit, OfAnAllreduceCountsTheNodesThatHaveAllOrTheResult) {
    const std::vector<Step> up_and_down{{1, 2, 1, {}, packets(2)},
                                        {2, 1, 0, {}, packets(1, 2)},
                                        {3, 0, 1, {}, {result_packet(3)}},
                                        {4, 1, 2, {}, {result_packet(3)}}};
    EXPECT_EQ(served(1, Operation::allreduce, 0, "line:3", up_and_down), 0U);
    EXPECT_EQ(served(2, Operation::allreduce, 0, "line:3", up_and_down), 1U);
    EXPECT_EQ(served(3, Operation::allreduce, 0, "line:3", up_and_down), 2U);
    EXPECT_EQ(served(4, Operation::allreduce, 0, "line:3", up_and_down), 3U);
}

TEST(StoppedAudit, CountsAResultThatIsRightOnlyOnceItIsGiven) {
    const Machine line = machine("line:2");
    const auto holders = [&](const std::vector<std::vector<PacketBlock>>& results) {
        Auditor auditor(line, {Operation::allreduce, 0, 8}, 1, false);
        const std::vector<PacketBlock> of[] = {packets(0), packets(1)};
        for (const NodeId v : {0U, 1U}) auditor.sent(0, 1, Transfer{v, 1 - v, std::vector<Port>{v == 0}, of[v]});
        for (const NodeId v : {0U, 1U}) auditor.received(0, 1, Transfer{v, 1 - v, std::vector<Port>{v == 0}, of[v]});
        for (NodeId v = 0; v < results.size(); ++v) auditor.result(0, 1, v, results[v]);
        (void)auditor.end_round(1, std::vector<unsigned>{0});
        return auditor.finish_stopped().holders;
    };
    EXPECT_EQ(holders({}), 0U) << "both hold all, and have not said so";
    EXPECT_EQ(holders({packets(0, 2)}), 1U);
    EXPECT_EQ(holders({packets(0, 2), packets(0, 1)}), 1U) << "node 1's lacks something";
    EXPECT_EQ(holders({packets(0, 2), packets(0, 2)}), 2U);
}

TEST(StoppedAudit, ReportsTheRulesBrokenSoFar) {
    const Machine line = machine("line:3");
    const std::vector<Step> back{{1, 0, 1}, {2, 1, 0}, {3, 1, 2}};
    EXPECT_THAT(test::sentences(stopped_after(1, Operation::broadcast, 0, line, back), *line.topology), IsEmpty());
    const Verdict broken = stopped_after(2, Operation::broadcast, 0, line, back);
    EXPECT_THAT(test::sentences(broken, *line.topology), ElementsAre(HasSubstr("NOHO")));
    EXPECT_EQ(broken.violation_count, 1U);
    EXPECT_FALSE(broken.kept(Rule::noho));
    EXPECT_TRUE(broken.kept(Rule::nodup));
}

}  // namespace
}  // namespace kport
