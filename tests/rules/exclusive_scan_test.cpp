/// @file exclusive_scan_test.cpp   Exclusive scans that are not: results with the node's own contribution, with too little, out of
///                                 order, where none is due, or missing; and schedules from which a prefix cannot be made.
#include <vector>

#include "emulator/audit/audit_schedule.hpp"
#include "tests/rules/reductions.hpp"

namespace kport {
namespace {

using test::all_sentences;
using test::machine;
using test::reducing;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Reduction texts{Operator::concat, ElementType::text, {"a", "b", "c", "d"}};

/// Along a line: node v sends the fold up to its own contribution on, and gives give(what came, its own contribution).
template <class Give>
RunResult run_along_line(Give give, const Reduction& reduction = texts) {
    const auto program = [give](Node& self) -> Program {
        return [](Node& node, Give give_result) -> Program {
            Value came;
            const Value own = node.contribution();
            if (node.id() > 0) {
                const Arrival arrival = co_await node.receive_from(node.id() - 1);
                came = arrival.value();
            }
            const Value sent = came.is_none() ? own : node.fold(came, own);
            if (node.id() + 1 < node.nodes()) co_await node.send_to(node.id() + 1, sent);
            give_result(node, came, own);
        }(self, give);
    };
    return run_lockstep(reducing(machine("line:4"), Operation::exscan, reduction, program), {});
}

void give_what_came(Node& node, const Value& came, const Value&) {
    if (!came.is_none()) node.result(came);
}

TEST(AnExclusiveScan, IsLawfulIfEachNodeGivesWhatStandsBeforeIt) {
    const RunResult result = run_along_line(give_what_came);
    EXPECT_THAT(all_sentences(result, machine("line:4")), IsEmpty());
    EXPECT_TRUE(result.verdict.delivered);
    EXPECT_EQ(result.verdict.holders, 4U) << "node 0 needs nothing";
    EXPECT_THAT(result.results, ElementsAre("a", "ab", "abc"));
}

TEST(AnExclusiveScan, WithTheNodesOwnContributionExceeds) {
    const RunResult result = run_along_line([](Node& node, const Value& came, const Value& own) {
        if (!came.is_none()) node.result(node.id() == 2 ? node.fold(came, own) : came);
    });
    EXPECT_THAT(all_sentences(result, machine("line:4")),
                testing::Contains(
                    "delivery broken: the result of node 2 has the contribution of node 2 twice, or must not have it"));
    EXPECT_FALSE(result.verdict.delivered);
}

TEST(AnExclusiveScan, OwesNothingAtNode0) {
    const RunResult result = run_along_line(
        [](Node& node, const Value& came, const Value& own) { node.result(came.is_none() ? own : came); });
    const std::vector<std::string> sentences = all_sentences(result, machine("line:4"));
    ASSERT_FALSE(sentences.empty());
    EXPECT_THAT(sentences.front(), HasSubstr("node 0 gives a result in round 1 and owes none"));
    EXPECT_THAT(sentences.front(), HasSubstr("no node stands before it"));
    EXPECT_FALSE(result.verdict.lawful());
}

TEST(AnExclusiveScan, IsNotDeliveredWhereANodeGivesNothing) {
    const RunResult result = run_along_line([](Node& node, const Value& came, const Value& own) {
        if (node.id() != 2) give_what_came(node, came, own);
    });
    EXPECT_THAT(all_sentences(result, machine("line:4")), ElementsAre(HasSubstr("node 2 ends without a result")));
    EXPECT_EQ(result.verdict.holders, 3U);
}

TEST(AnExclusiveScan, ThatGivesItsOwnContributionInPlaceOfThePrefixLacks) {
    const RunResult result = run_along_line([](Node& node, const Value& came, const Value& own) {
        if (node.id() == 1)
            node.result(own);
        else
            give_what_came(node, came, own);
    });
    const std::vector<std::string> sentences = all_sentences(result, machine("line:4"));
    EXPECT_THAT(sentences, testing::Contains(HasSubstr("the result of node 1 lacks the contribution of node 0")));
    EXPECT_THAT(sentences,
                testing::Contains(HasSubstr("the result of node 1 has the contribution of node 1 twice, or must "
                                            "not have it")));
}

/// The schedule alone: whether each node can make its prefix of what comes to it.
std::vector<std::string> judged_without_run(const std::vector<std::vector<std::uint32_t>>& values) {
    const Machine line = machine("line:4");
    Schedule schedule;
    for (std::uint32_t v = 0; v < values.size(); ++v) {
        PacketSet packets;
        for (const std::uint32_t w : values[v]) packets.add(PacketBlock{w});
        const Port port = line.topology->port_to(v, v + 1);
        schedule.add(v + 1, {v, v + 1, {&port, 1}, packets.blocks()});
    }
    return test::sentences(audit(schedule, line, {Operation::exscan, 0, 8}, false), *line.topology);
}

TEST(AnExclusiveScan, AsAScheduleNeedsWhatStandsBeforeEachNode) {
    EXPECT_THAT(judged_without_run({{0}, {0, 1}, {0, 1, 2}}), IsEmpty());
    EXPECT_THAT(judged_without_run({{0}, {1}, {0, 1, 2}}),
                testing::Contains(HasSubstr("the result of node 2 lacks the contribution of node 0")));
    EXPECT_THAT(
        judged_without_run({{0}, {0, 1}}),
        testing::Contains(HasSubstr("the result of node 3 lacks 3 contributions, the lowest is that of node 0")));
}

}  // namespace
}  // namespace kport
