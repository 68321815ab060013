// The umpire on schedules judged by hand: each rule broken by a few messages, and kept by the nearest that keep it.
//
// Source   model.md sections 1 and 8.
#include "app/umpire/umpire.hpp"
#include "app/umpire/results.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kport::umpire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr Number left = 0;
constexpr Number right = 1;

/// Nodes 0 - 1 - 2 - 3, a port to the left and one to the right.
Game line_of_four(std::vector<Message> messages, Operation operation = Operation::broadcast) {
    Game game;
    game.neighbours = {{none, 1}, {0, 2}, {1, 3}, {2, none}};
    game.operation = operation;
    game.messages = std::move(messages);
    return game;
}

/// What is found, delivery aside: (rule, round, node, packet).
std::vector<Finding> found(const Game& game) {
    std::vector<Finding> findings;
    for (const Finding& finding : judge(game).findings)
        if (finding.rule != Rule::delivery) findings.push_back(finding);
    return findings;
}

const std::vector<Message> down = {{1, 0, 1, {right}, {0}}, {2, 1, 2, {right}, {0}}, {3, 2, 3, {right}, {0}}};

TEST(TheUmpire, FindsNothingInALawfulBroadcastAndMeasuresIt) {
    Game game = line_of_four(down);
    game.packet_bytes = 8;
    game.hop = 10;
    game.byte = 0.5;
    const Opinion opinion = judge(game);
    EXPECT_THAT(opinion.findings, IsEmpty());
    EXPECT_THAT(opinion.undelivered, IsEmpty());
    EXPECT_EQ(opinion.rounds, 3U);
    EXPECT_EQ(opinion.work, 3U);
    EXPECT_EQ(opinion.path_sum, 3U);
    EXPECT_EQ(opinion.volume, 24U);
    EXPECT_EQ(opinion.latency, 3 * (1 + 10 + 4));
}

TEST(TheUmpire, AddsUpTheLongestTheLargestAndTheSlowestOfARound) {
    Game game = line_of_four({{1, 0, 3, {right, right, right}, {3}}, {1, 3, 2, {left}, {2, 3}}}, Operation::allgather);
    game.wormhole = true;
    const Opinion opinion = judge(game);
    EXPECT_EQ(opinion.work, 4U);
    EXPECT_EQ(opinion.path_sum, 3U);
    EXPECT_EQ(opinion.volume, 2U);
    EXPECT_EQ(opinion.latency, 1);
    game.operation = Operation::allreduce;
    EXPECT_EQ(judge(game).volume, 1U) << "a partial result has the size of one packet";
}

TEST(TheUmpire, CountsPacketsByTheirSizesAndValuesByThoseOfTheirSegments) {
    Game game = line_of_four({{1, 0, 1, {right}, {1, 2}}}, Operation::scatter);
    game.counts = {0, 1, 1, 0};
    game.sizes = {0, 5, 7, 0};
    EXPECT_EQ(judge(game).volume, 12U);
    // Contribution v to segment s has the number 5 s + v.
    game = line_of_four({{1, 0, 1, {right}, {5, 10}}, {2, 1, 2, {right}, {10, 11}}}, Operation::reduce_scatter);
    game.counts = {1, 1, 1, 1};
    game.sizes = {8, 16, 24, 32};
    EXPECT_EQ(judge(game).volume, 16U + 24 + 24);
}

TEST(TheUmpire, CountsEachContributionWhereNothingIsFolded) {
    Game game = line_of_four(
        {{1, 0, 1, {right}, {0}}, {2, 1, 2, {right}, {0, 1}}, {3, 2, 1, {left}, {2}}, {4, 1, 0, {left}, {1}}},
        Operation::allreduce);
    game.in_runs = true;
    EXPECT_EQ(judge(game).volume, 4U);
    game.unfolded = true;
    EXPECT_EQ(judge(game).volume, 5U);
    EXPECT_THAT(found(game), IsEmpty());
}

TEST(TheUmpire, FindsInvalidPaths) {
    const Finding at_0{Rule::path, 1, 0, none};
    EXPECT_THAT(found(line_of_four({{1, 0, 1, {right}, {0}}})), IsEmpty());
    EXPECT_THAT(found(line_of_four({{1, 0, 2, {right}, {0}}})), ElementsAre(at_0));
    EXPECT_THAT(found(line_of_four({{1, 0, 1, {left}, {0}}})), ElementsAre(at_0));
    EXPECT_THAT(found(line_of_four({{1, 0, 1, {}, {0}}})), ElementsAre(at_0));
    EXPECT_THAT(found(line_of_four({{1, 0, 2, {right, right}, {0}}})), ElementsAre(at_0)) << "store-and-forward";
    Game wormhole = line_of_four({{1, 0, 2, {right, right}, {0}}});
    wormhole.wormhole = true;
    EXPECT_THAT(found(wormhole), IsEmpty());
    wormhole.messages = {{1, 0, 1, {right, right, left}, {0}}};
    EXPECT_THAT(found(wormhole), ElementsAre(at_0)) << "not simple";
}

TEST(TheUmpire, FindsAChannelOnTwoPathsOfARound) {
    Game game = line_of_four({{1, 0, 2, {right, right}, {0}}, {1, 1, 3, {right, right}, {0}}});
    game.wormhole = true;
    EXPECT_THAT(found(game), UnorderedElementsAre(Finding{Rule::channel, 1, 1, none}, Finding{Rule::holding, 1, 1, 0}));
    game.messages[1] = {1, 3, 1, {left, left}, {0}};
    EXPECT_THAT(found(game), ElementsAre(Finding{Rule::holding, 1, 3, 0})) << "opposite channels";
}

TEST(TheUmpire, CountsPortsByTheirNumberAndTheirDuplex) {
    const std::vector<Message> both_ways = {{1, 1, 0, {left}, {1}}, {1, 1, 2, {right}, {1}}};
    Game game = line_of_four(both_ways, Operation::allgather);
    EXPECT_THAT(found(game), ElementsAre(Finding{Rule::ports, 1, 1, none}));
    for (const Number k : {Number{2}, Number{3}, none}) {
        game.sends = game.receives = k;
        EXPECT_THAT(found(game), IsEmpty());
    }
    game.half_duplex = true;
    EXPECT_THAT(found(game), IsEmpty()) << "node 1 has two ports and uses both";
    game.messages.push_back({1, 0, 1, {right}, {0}});
    for (const Number k : {Number{2}, Number{3}, none}) {
        game.sends = game.receives = k;
        EXPECT_THAT(found(game),
                    UnorderedElementsAre(Finding{Rule::ports, 1, 0, none}, Finding{Rule::ports, 1, 1, none}));
    }
}

TEST(TheUmpire, CountsSendsAndReceivesEachByTheirOwnLimit) {
    // Node 1 sends twice in round 1, and receives twice in round 2.
    const std::vector<Message> both_ways = {
        {1, 1, 0, {left}, {1}}, {1, 1, 2, {right}, {1}}, {2, 0, 1, {right}, {0}}, {2, 2, 1, {left}, {2}}};
    Game game = line_of_four(both_ways, Operation::allgather);
    game.sends = game.receives = 2;
    EXPECT_THAT(found(game), IsEmpty());
    game.receives = 1;
    EXPECT_THAT(found(game), ElementsAre(Finding{Rule::ports, 2, 1, none}));
    std::swap(game.sends, game.receives);
    EXPECT_THAT(found(game), ElementsAre(Finding{Rule::ports, 1, 1, none}));
    game.limits = {{1, 1}, {2, 2}, {1, 1}, {1, 1}};
    EXPECT_THAT(found(game), IsEmpty());
    game.limits[1] = {2, 1};
    EXPECT_THAT(found(game), ElementsAre(Finding{Rule::ports, 2, 1, none}));
}

/// Hosts 0, 1 on switch 4, hosts 2, 3 on switch 5, and a trunk between the switches: ports 0 and 1 down, 2 across.
Game two_leaves(Number capacity, std::vector<Message> messages) {
    Game game;
    game.neighbours = {{4}, {4}, {5}, {5}, {0, 1, 5}, {2, 3, 4}};
    game.capacities = {{1}, {1}, {1}, {1}, {1, 1, capacity}, {1, 1, capacity}};
    game.switches = 2;
    game.operation = Operation::allgather;
    game.messages = std::move(messages);
    return game;
}
const Message from_0_to_2 = {1, 0, 2, {0, 2, 0}, {0}};
const Message from_1_to_3 = {1, 1, 3, {0, 2, 1}, {1}};
const Message from_3_to_1 = {1, 3, 1, {0, 2, 1}, {3}};

TEST(TheUmpire, TakesPathsThroughSwitchesAndCountsOnlyHosts) {
    const Opinion opinion = judge(two_leaves(1, {from_0_to_2}));
    EXPECT_THAT(found(two_leaves(1, {from_0_to_2})), IsEmpty());
    EXPECT_EQ(opinion.work, 3U);
    EXPECT_EQ(opinion.path_sum, 3U);
    EXPECT_EQ(opinion.undelivered.size(), 11U) << "each of 4 hosts lacks 3 packets, but host 2 lacks 2";
}

TEST(TheUmpire, FindsMoreMessagesOnATrunkThanItsCapacity) {
    EXPECT_THAT(found(two_leaves(1, {from_0_to_2, from_1_to_3})), ElementsAre(Finding{Rule::channel, 1, 4, none}));
    EXPECT_THAT(found(two_leaves(2, {from_0_to_2, from_1_to_3})), IsEmpty());
    Game half = two_leaves(1, {from_0_to_2, from_3_to_1});
    EXPECT_THAT(found(half), IsEmpty());
    half.half_duplex_links = true;
    EXPECT_THAT(found(half), ElementsAre(Finding{Rule::link, 1, 4, none}));
    half.capacities[4][2] = half.capacities[5][2] = 2;
    EXPECT_THAT(found(half), IsEmpty());
}

TEST(TheUmpire, FindsMoreMessagesThroughASwitchThanItsLimit) {
    Game game = two_leaves(2, {from_0_to_2, from_1_to_3});
    game.switch_limit = 2;
    EXPECT_THAT(found(game), IsEmpty());
    game.switch_limit = 1;
    EXPECT_THAT(found(game),
                UnorderedElementsAre(Finding{Rule::channel, 1, 4, none}, Finding{Rule::channel, 1, 5, none}));
}

TEST(TheUmpire, FindsSwitchesAtEndsAndHostsInsideAPath) {
    EXPECT_THAT(found(two_leaves(1, {{1, 0, 4, {0}, {0}}})), ElementsAre(Finding{Rule::end, 1, 0, none}));
    EXPECT_THAT(found(two_leaves(1, {{1, 5, 2, {0}, {0}}})), ElementsAre(Finding{Rule::end, 1, 5, none}));
    Game ring = two_leaves(1, {{1, 0, 2, {0, 1, 1}, {0}}});  // through host 1, which is on both switches
    ring.neighbours[1].push_back(5);
    ring.capacities[1].push_back(1);
    ring.neighbours[5][1] = 1;
    ring.neighbours[3] = {none};
    ring.messages[0].route = {0, 1, 1, 0};
    EXPECT_THAT(found(ring), ElementsAre(Finding{Rule::path, 1, 0, none}));
    ring.wormhole = true;
    EXPECT_THAT(found(ring), IsEmpty());
}

TEST(TheUmpire, GivesAHostAsManyPortsAsItsLinksCarry) {
    Game game;  // hosts 0, 1, 2 on switch 3, host 0 by a trunk of 2
    game.neighbours = {{3}, {3}, {3}, {0, 1, 2}};
    game.capacities = {{2}, {1}, {1}, {2, 1, 1}};
    game.switches = 1;
    game.operation = Operation::allgather;
    game.messages = {{1, 0, 1, {0, 1}, {0}}, {1, 0, 2, {0, 2}, {0}}};
    EXPECT_THAT(found(game), ElementsAre(Finding{Rule::ports, 1, 0, none}));
    game.sends = game.receives = none;
    EXPECT_THAT(found(game), IsEmpty());
    game.messages = {{1, 1, 0, {0, 0}, {1}}, {1, 1, 2, {0, 2}, {1}}};
    EXPECT_THAT(found(game),
                UnorderedElementsAre(Finding{Rule::ports, 1, 1, none}, Finding{Rule::channel, 1, 1, none}));
}

TEST(TheUmpire, DemandsOnePacketAMessageWithoutCombining) {
    Game game = line_of_four({{1, 0, 1, {right}, {1, 2}}}, Operation::scatter);
    EXPECT_THAT(found(game), IsEmpty());
    game.combining = false;
    EXPECT_THAT(found(game), ElementsAre(Finding{Rule::combining, 1, 0, none}));
}

TEST(TheUmpire, FindsSendsOfUnheldPacketsAndInTheRoundOfArrival) {
    EXPECT_THAT(found(line_of_four({{1, 0, 1, {right}, {0}}, {1, 1, 2, {right}, {0}}})),
                ElementsAre(Finding{Rule::holding, 1, 1, 0}, Finding{Rule::noho, 1, 1, 0}));
    EXPECT_THAT(found(line_of_four({{1, 0, 1, {right}, {0}}, {2, 2, 3, {right}, {0}}})),
                ElementsAre(Finding{Rule::holding, 2, 2, 0}));
}

TEST(TheUmpire, FindsPacketsThatComeAgainOrBack) {
    std::vector<Message> messages = down;
    messages.push_back({4, 2, 3, {right}, {0}});
    messages.push_back({4, 1, 0, {left}, {0}});
    EXPECT_THAT(found(line_of_four(messages)),
                UnorderedElementsAre(Finding{Rule::nodup, 4, 3, 0}, Finding{Rule::noho, 4, 0, 0}));
}

TEST(TheUmpire, ReadsNohoWide) {
    EXPECT_THAT(found(line_of_four({{1, 0, 1, {right}, {0}}, {2, 1, 0, {left}, {0}}})),
                ElementsAre(Finding{Rule::noho, 2, 0, 0}));
    Game exchange = line_of_four({{1, 0, 1, {right}, {0}}, {2, 0, 1, {right}, {0}}, {2, 1, 0, {left}, {0}}});
    EXPECT_THAT(found(exchange), UnorderedElementsAre(Finding{Rule::nodup, 2, 1, 0}, Finding{Rule::noho, 2, 0, 0},
                                                      Finding{Rule::noho, 2, 1, 0}));
}

TEST(TheUmpire, FindsRoundsInWhichNothingMoves) {
    std::vector<Message> messages = down;
    messages.back().round = 5;
    EXPECT_THAT(found(line_of_four(messages)),
                ElementsAre(Finding{Rule::idle_round, 3, none, none}, Finding{Rule::idle_round, 4, none, none}));
}

TEST(TheUmpire, FindsNodesThatPassOnAndMayNot) {
    Game game = line_of_four(down, Operation::own);
    game.owned = {{0}, {}, {}, {}};
    game.wanted = {{}, {}, {}, {0}};
    EXPECT_THAT(found(game), IsEmpty());
    game.passes_on = {false, true, false, false};
    EXPECT_THAT(found(game), UnorderedElementsAre(Finding{Rule::relay, 2, 2, none}, Finding{Rule::relay, 3, 2, none}));
}

/// Which node lacks which packet when nothing has moved between two nodes; node 1 is the source.
std::set<std::pair<Number, Number>> undelivered(Operation operation) {
    Game game;
    game.neighbours = {{1}, {0}};
    game.operation = operation;
    game.source = 1;
    return judge(game).undelivered;
}

TEST(TheUmpire, KnowsWhatEachOperationPromises) {
    using Pairs = std::set<std::pair<Number, Number>>;
    EXPECT_EQ(undelivered(Operation::broadcast), (Pairs{{0, 0}}));
    EXPECT_EQ(undelivered(Operation::scatter), (Pairs{{0, 0}}));
    EXPECT_EQ(undelivered(Operation::gather), (Pairs{{1, 0}}));
    EXPECT_EQ(undelivered(Operation::reduce), (Pairs{{1, 0}}));
    EXPECT_EQ(undelivered(Operation::allreduce), (Pairs{{0, 1}, {1, 0}}));
    EXPECT_EQ(undelivered(Operation::scan), (Pairs{{1, 0}}));
    EXPECT_EQ(undelivered(Operation::allgather), (Pairs{{0, 1}, {1, 0}}));
    EXPECT_EQ(undelivered(Operation::alltoall), (Pairs{{0, 2}, {1, 1}}));
}

TEST(TheUmpire, LetsOnlyANodeWithEveryContributionSendTheResult) {
    Game game;
    game.neighbours = {{1}, {0}};
    game.operation = Operation::allreduce;
    game.messages = {{1, 1, 0, {0}, {1}}, {2, 0, 1, {0}, {2}}};
    EXPECT_THAT(judge(game).findings, IsEmpty());
    game.messages = {{1, 0, 1, {0}, {2}}};
    EXPECT_THAT(found(game), ElementsAre(Finding{Rule::holding, 1, 0, 2}));
}

TEST(TheUmpire, SeesThatAValueIsTakenApart) {
    // Node 2 sends {2, 3}, folded; of these node 1 may send both, or its own, and not 2 or 3 alone.
    const auto found_with = [](std::vector<Number> sent) {
        return found(
            line_of_four({{1, 3, 2, {left}, {3}}, {2, 2, 1, {left}, {2, 3}}, {3, 1, 0, {left}, std::move(sent)}},
                         Operation::reduce));
    };
    EXPECT_THAT(found_with({2}), ElementsAre(Finding{Rule::parting, 3, 1, 2}));
    EXPECT_THAT(found_with({3, 1}), ElementsAre(Finding{Rule::parting, 3, 1, 3}));
    EXPECT_THAT(found_with({3, 0}), ElementsAre(Finding{Rule::holding, 3, 1, 0}, Finding{Rule::parting, 3, 1, 3}));
    for (const std::vector<Number>& lawful : {std::vector<Number>{1}, {2, 3}, {1, 2, 3}})
        EXPECT_THAT(found_with(lawful), IsEmpty());
}

TEST(TheUmpire, SeesThatNoPrefixCanBeHadOfAValueWithMoreInIt) {
    Game game = line_of_four({{1, 0, 3, {right, right, right}, {0}}, {2, 3, 1, {left, left}, {0, 3}}}, Operation::scan);
    game.wormhole = true;
    EXPECT_TRUE(judge(game).undelivered.contains({1, 0}));
    game.messages.back().packets = {0};
    EXPECT_FALSE(judge(game).undelivered.contains({1, 0}));
}

// --------------------------------------------------------------------------------------------------------------- results

Reduction reduction_of(Operator op, std::vector<std::string> contributions,
                       Operation operation = Operation::allreduce) {
    Reduction reduction;
    reduction.operation = operation;
    reduction.op = op;
    reduction.contributions = std::move(contributions);
    return reduction;
}

TEST(TheUmpire, FoldsWhatEachNodeIsPromisedInTheOrderOfTheNodes) {
    const auto rights = [](const Reduction& reduction) {
        std::vector<std::string> all;
        for (Number v = 0; v < reduction.contributions.size(); ++v) all.push_back(right_result(reduction, v));
        return all;
    };
    EXPECT_THAT(rights(reduction_of(Operator::sum, {"1", "-5", "7"})), ElementsAre("3", "3", "3"));
    EXPECT_THAT(rights(reduction_of(Operator::minimum, {"1", "-5", "7"}, Operation::scan)),
                ElementsAre("1", "-5", "-5"));
    EXPECT_THAT(rights(reduction_of(Operator::maximum, {"1", "-5", "7"}, Operation::scan)), ElementsAre("1", "1", "7"));
    EXPECT_THAT(rights(reduction_of(Operator::exclusive_or, {"1", "3", "8"})), ElementsAre("10", "10", "10"));
    EXPECT_THAT(rights(reduction_of(Operator::concatenation, {"b", "", "a"}, Operation::scan)),
                ElementsAre("b", "b", "ba"));
    Reduction to_node_1 = reduction_of(Operator::sum, {"9223372036854775807", "1"}, Operation::reduce);
    to_node_1.source = 1;
    EXPECT_THAT(rights(to_node_1), ElementsAre("", "-9223372036854775808")) << "sums wrap around";
}

TEST(TheUmpire, LeavesOpenWhatTheBracketsDecide) {
    Reduction reals = reduction_of(Operator::sum, {"0.1", "0.2", "0.3"}, Operation::scan);
    reals.real = true;
    EXPECT_EQ(right_result(reals, 0), "0.1");
    EXPECT_EQ(right_result(reals, 2), "");
    reals.contributions = {"1", "2.0", "1e3"};
    EXPECT_EQ(right_result(reals, 2), "1003") << "nothing is rounded";
    reals.contributions = {"1", "9007199254740992", "1"};
    EXPECT_EQ(right_result(reals, 2), "");
    reals.op = Operator::minimum;
    reals.contributions = {"0", "-0", "1e300"};
    EXPECT_EQ(right_result(reals, 2), "-0");
    reals.op = Operator::maximum;
    EXPECT_EQ(right_result(reals, 1), "0");
    EXPECT_EQ(right_result(reals, 2), "1e+300");
}

TEST(TheUmpire, NamesNodesWithAWrongResultAndWithNone) {
    Reduction texts = reduction_of(Operator::concatenation, {"a", "b", "c"}, Operation::scan);
    texts.results = {{0, "a"}, {1, "ab"}, {2, "abc"}};
    EXPECT_THAT(wrong_results(texts), IsEmpty());
    texts.results = {{0, "a"}, {1, "ba"}};
    EXPECT_THAT(wrong_results(texts), ElementsAre(1U, 2U)) << "the order matters, and node 2 gave nothing";
    Reduction reals = reduction_of(Operator::sum, {"1", "2"}, Operation::reduce);
    reals.real = true;
    reals.results = {{0, "3.0"}};
    EXPECT_THAT(wrong_results(reals), IsEmpty());
    reals.results = {{0, "3.0000000000000004"}};
    EXPECT_THAT(wrong_results(reals), ElementsAre(0U));
    reals.results = {{0, "3"}, {1, "3"}};
    EXPECT_THAT(wrong_results(reals), ElementsAre(1U)) << "nothing is promised to node 1";
}

}  // namespace
}  // namespace kport::umpire
