// The umpire on which message goes when claims compete (umpire/umpire.hpp), by hand and compared with lockstep.
//
// Source   model.md section 8.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/stress/second_opinion.hpp"
#include "app/umpire/umpire.hpp"
#include "emulator/base/random.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using umpire::Number;
using umpire::Send;

// -------------------------------------------------------------------------------------------------------- by hand

/// Every node a neighbour of every other; port w leads to node w.
umpire::Game complete(Number nodes, Number k = 1) {
    umpire::Game game;
    game.sends = game.receives = k;
    for (Number v = 0; v < nodes; ++v) {
        auto& ports = game.neighbours.emplace_back();
        for (Number w = 0; w < nodes; ++w) ports.push_back(w == v ? umpire::none : w);
    }
    return game;
}
Send direct(Number asked, Number from, Number to, Number declaration = umpire::none) {
    return {asked, from, to, {to}, declaration};
}

TEST(TheUmpiresPolicy, LetsTheEarliestClaimGoThenTheLowerSender) {
    const umpire::Arbitration by_sender = arbitrate(complete(4), {direct(1, 3, 0), direct(1, 1, 0), direct(1, 2, 0)});
    EXPECT_THAT(by_sender.moved, ElementsAre(3, 1, 2));
    EXPECT_THAT(by_sender.waits, ElementsAre(Pair(Pair(1, 2), ElementsAre(1)), Pair(Pair(1, 3), ElementsAre(1))));
    const umpire::Arbitration by_age = arbitrate(complete(4), {direct(1, 2, 0), direct(1, 3, 0), direct(2, 1, 0)});
    EXPECT_THAT(by_age.moved, ElementsAre(1, 2, 3)) << "3 has waited since round 1";
}

TEST(TheUmpiresPolicy, StartsKSendsANodeInTheOrderOfItsProgram) {
    const std::vector<Send> sends = {direct(1, 0, 3), direct(1, 0, 1), direct(1, 0, 2)};
    EXPECT_THAT(arbitrate(complete(4), sends).moved, ElementsAre(1, 2, 3));
    EXPECT_THAT(arbitrate(complete(4, 2), sends).moved, ElementsAre(1, 1, 2));
    EXPECT_THAT(arbitrate(complete(4, umpire::none), sends).moved, ElementsAre(1, 1, 1));
    EXPECT_THAT(arbitrate(complete(4), sends).waits, IsEmpty()) << "sequential sends are lawful";
    umpire::Game telephone = complete(4, 2);
    telephone.pairwise = true;
    EXPECT_THAT(arbitrate(telephone, sends).moved, ElementsAre(1, 2, 3));
}

TEST(TheUmpiresPolicy, KeepsTheSendPortOfALoserBusy) {
    const std::vector<Send> sends = {direct(1, 1, 0), direct(1, 2, 0), direct(1, 2, 3)};
    EXPECT_THAT(arbitrate(complete(4), sends).moved, ElementsAre(1, 2, 3));
}

TEST(TheUmpiresPolicy, ReportsADeclarationThatExceedsThePorts) {
    const umpire::Arbitration two =
        arbitrate(complete(4), {direct(1, 0, 1, 7), direct(1, 0, 2, 7), direct(1, 0, 3, 7)});
    EXPECT_THAT(two.moved, ElementsAre(1, 2, 3));
    EXPECT_THAT(two.waits, ElementsAre(Pair(Pair(1, 0), ElementsAre(umpire::none))));
}

TEST(TheUmpiresPolicy, GrantsAPathWhoseChannelsAreFree) {
    umpire::Game line;
    line.neighbours = {{umpire::none, 1}, {0, 2}, {1, 3}, {2, umpire::none}};
    line.wormhole = true;
    const std::vector<Send> sends = {{1, 0, 2, {1, 1}}, {1, 1, 3, {1, 1}}, {1, 3, 1, {0, 0}}};
    EXPECT_THAT(arbitrate(line, sends).moved, ElementsAre(1, 2, 1));
    line.half_duplex_links = true;
    EXPECT_THAT(arbitrate(line, sends).moved, ElementsAre(1, 2, 3));
}

TEST(TheUmpiresPolicy, CountsSendsAndReceivesTogetherOnHalfDuplexPorts) {
    umpire::Game game = complete(4);
    game.half_duplex = true;
    EXPECT_THAT(arbitrate(game, {direct(1, 0, 1), direct(1, 1, 2), direct(1, 2, 3)}).moved, ElementsAre(1, 2, 1));
}

TEST(TheUmpiresPolicy, NamesTheSenderInTheWay) {
    const std::vector<Send> sends = {direct(1, 0, 3), direct(1, 1, 0), direct(1, 2, 0)};
    EXPECT_THAT(arbitrate(complete(4), sends).waits, ElementsAre(Pair(Pair(1, 2), ElementsAre(1))))
        << "its receives: a send of the receiver is not in the way";
    umpire::Game half = complete(4);
    half.half_duplex = true;
    EXPECT_THAT(arbitrate(half, sends).waits,
                ElementsAre(Pair(Pair(1, 1), ElementsAre(0)), Pair(Pair(1, 2), ElementsAre(0))));
}

TEST(TheUmpiresPolicy, LetsAsManyMessagesPassAsATrunkCarriesAndASwitchPasses) {
    umpire::Game leaves;  // hosts 0, 1 on switch 4, hosts 2, 3 on switch 5
    leaves.neighbours = {{4}, {4}, {5}, {5}, {0, 1, 5}, {2, 3, 4}};
    leaves.capacities = {{1}, {1}, {1}, {1}, {1, 1, 1}, {1, 1, 1}};
    leaves.switches = 2;
    const std::vector<Send> sends = {{1, 0, 2, {0, 2, 0}}, {1, 1, 3, {0, 2, 1}}, {1, 2, 1, {0, 2, 1}}};
    EXPECT_THAT(arbitrate(leaves, sends).moved, ElementsAre(1, 2, 1));
    EXPECT_THAT(arbitrate(leaves, sends).waits, ElementsAre(Pair(Pair(1, 1), ElementsAre(0))));
    leaves.half_duplex_links = true;
    EXPECT_THAT(arbitrate(leaves, sends).moved, ElementsAre(1, 2, 3));
    leaves.capacities[4][2] = leaves.capacities[5][2] = 2;
    EXPECT_THAT(arbitrate(leaves, sends).moved, ElementsAre(1, 1, 2));
    leaves.half_duplex_links = false;
    EXPECT_THAT(arbitrate(leaves, sends).moved, ElementsAre(1, 1, 1));
    leaves.switch_limit = 2;
    EXPECT_THAT(arbitrate(leaves, sends).moved, ElementsAre(1, 1, 2));
}

TEST(TheUmpiresPolicy, ChoosesTheFirstShortestRouteThatIsFree) {
    umpire::Game square;  // 0 - 1, 0 - 2, 1 - 3, 2 - 3
    square.neighbours = {{1, 2}, {0, 3}, {0, 3}, {1, 2}};
    square.wormhole = true;
    square.sends = square.receives = 3;
    const std::vector<Send> sends = {{1, 0, 3, {}}, {1, 0, 3, {}}, {1, 1, 3, {}}};
    const auto arbitration = arbitrate(square, sends);
    EXPECT_THAT(arbitration.moved, ElementsAre(1, 1, 2)) << "the last one has one link, which is taken";
    EXPECT_THAT(arbitration.routes, ElementsAre(ElementsAre(0, 1), ElementsAre(1, 1), ElementsAre(1)));
    EXPECT_THAT(arbitration.waits, ElementsAre(Pair(Pair(1, 1), ElementsAre(0))));
    square.switches =
        1;  // node 3 no longer computes; node 1 is a host, which a store-and-forward message does not pass
    square.neighbours = {{3, 1}, {3, 0}, {3}, {1, 0, 2}};
    square.wormhole = false;
    EXPECT_THAT(arbitrate(square, {{1, 0, 2, {}}}).routes, ElementsAre(ElementsAre(0, 2)));
}

// --------------------------------------------------------------------------------------- beside lockstep, at random

/// What a node does: lets rounds pass, then sends; several sends are declared to belong together.
struct Doing {
    int rounds;
    std::vector<NodeId> targets;
};
using Doings = std::map<NodeId, std::vector<Doing>>;

Program does(Node& self, const std::vector<Doing>& doings) {
    for (const Doing& doing : doings) {
        for (int i = 0; i < doing.rounds; ++i) co_await self.next_round();
        std::vector<SendRequest> sends;
        for (const NodeId to : doing.targets) sends.emplace_back(to, std::span<const Port>(), Packet(0));
        if (sends.size() == 1)
            co_await self.send_to(doing.targets.front(), Packet(0));
        else
            co_await self.send_together(sends);
    }
}

/// A run of programs that compete.
struct Competition {
    Job job;
    std::vector<AskedSend> asked;
    Schedule moved;
    Verdict verdict;

    [[nodiscard]] std::string opinion(const Schedule& schedule) const {
        return policy_opinion(asked, schedule, job.machine, job.collective, verdict);
    }
};

Machine any_machine(Dice& dice) {
    constexpr std::array specs = {"complete:4", "complete:5",  "ring:5", "ring:3",
                                  "mesh:2x3",   "hypercube:3", "line:4", "cbt:2"};
    constexpr std::array with_switches = {"crossbar:4",   "leaf-spine:2,1,2", "leaf-spine:2,1,3,2",
                                          "nvswitch:3,2", "rail:2,2",         "dcell:2,1"};
    const bool is_fabric = dice.happens(0.3);
    Machine machine = test::machine(is_fabric ? dice.one_of(std::span<const char* const>(with_switches))
                                              : dice.one_of(std::span<const char* const>(specs)));
    if (is_fabric && dice.happens(0.3)) machine.switch_limit = static_cast<Port>(dice.between(1, 3));
    constexpr std::array k = {1U, 1U, 2U, 3U};
    machine.ports = dice.happens(0.2) ? PortLimit::all() : PortLimit(dice.one_of(std::span<const unsigned>(k)));
    machine.switching = dice.happens(0.5) ? Switching::wormhole : Switching::store_and_forward;
    machine.duplex = dice.happens(0.3) ? Duplex::half : Duplex::full;
    machine.links = dice.happens(0.3) ? Duplex::half : Duplex::full;
    machine.pairwise = dice.happens(0.3);
    machine.policy = dice.happens(0.5) ? Policy::strict : Policy::queue;
    if (machine.has_paths() && dice.happens(0.4)) machine.routing = Routing::adaptive;
    if (machine.duplex == Duplex::full && !machine.pairwise && dice.happens(0.2))
        machine.ports = dice.happens(0.5) ? PortLimit(1, 2) : PortLimit(2, 1);
    return machine;
}

/// Often node 0, where many meet; on store-and-forward machines a neighbour.
NodeId any_target(Dice& dice, const Machine& machine, NodeId from) {
    std::vector<NodeId> targets;
    for (NodeId to = 0; to < machine.topology->nodes(); ++to)
        if (to != from && (machine.switching == Switching::wormhole || machine.topology->port_to(from, to) != no_port))
            targets.push_back(to);
    return dice.happens(0.5) ? targets.front() : dice.one_of(std::span<const NodeId>(targets));
}

Competition compete(Dice& dice) {
    Competition competition;
    const Machine machine = any_machine(dice);
    Doings doings;
    for (NodeId v = 0; v < machine.topology->nodes(); ++v)
        for (std::uint64_t n = dice.below(4); n > 0; --n) {
            Doing doing{static_cast<int>(dice.below(3)), {}};
            for (std::uint64_t targets = dice.happens(0.25) ? dice.between(2, 3) : 1; targets > 0; --targets)
                doing.targets.push_back(any_target(dice, machine, v));
            doings[v].push_back(std::move(doing));
        }
    competition.job = test::job_of_all(machine, [doings](Node& self) {
        static const std::vector<Doing> nothing;
        const auto found = doings.find(self.id());
        return does(self, found == doings.end() ? nothing : found->second);
    });
    competition.job.payload = false;
    RunOptions options;
    options.recorded_schedule = &competition.moved;
    options.asked = &competition.asked;
    competition.verdict = run_lockstep(competition.job, options).verdict;
    return competition;
}

TEST(ThePolicyOfLockstep, IsTheUmpiresOnRandomProgramsThatCompete) {
    Dice dice(1);
    int waited = 0;
    for (int i = 0; i < 3000; ++i) {
        const Competition competition = compete(dice);
        ASSERT_EQ(competition.opinion(competition.moved), "")
            << "case " << i << " on " << competition.job.machine.topology->spec() << ", "
            << competition.job.machine.describe() << ": " << test::text(competition.moved);
        EXPECT_TRUE(competition.verdict.kept(Rule::ports) && competition.verdict.kept(Rule::channel)) << i;
        waited += competition.verdict.kept(Rule::strict) ? 0 : 1;
    }
    EXPECT_GT(waited, 500) << "claims do compete";
}

/// The transfers with the rounds of two of them exchanged.
Schedule exchanged(const Schedule& schedule, std::size_t a, std::size_t b) {
    std::vector<std::pair<Round, std::size_t>> order;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const std::size_t stands_for = i == a ? b : i == b ? a : i;
        order.emplace_back(schedule.round(i), stands_for);
    }
    std::ranges::stable_sort(order, {}, &std::pair<Round, std::size_t>::first);
    Schedule other;
    for (const auto& [round, i] : order) other.add(round, schedule.transfer(i));
    return other;
}

TEST(ThePolicyOfLockstep, IsNotThatOfAScheduleInWhichTwoMessagesChangePlaces) {
    Dice dice(2);
    int changed = 0;
    for (int i = 0; i < 500; ++i) {
        const Competition competition = compete(dice);
        const Schedule& moved = competition.moved;
        for (std::size_t a = 0; a < moved.size(); ++a)
            for (std::size_t b = a + 1; b < moved.size(); ++b) {
                if (moved.round(a) == moved.round(b) || moved.transfer(a).to != moved.transfer(b).to ||
                    moved.transfer(a).from == moved.transfer(b).from)
                    continue;
                EXPECT_NE(competition.opinion(exchanged(moved, a, b)), "") << test::text(moved);
                ++changed;
            }
    }
    EXPECT_GT(changed, 500);
}

// ------------------------------------------------------------------------------------------- another order, planted

AskedSend asked(Round round, NodeId from, NodeId to, const Topology& topology) {
    return {round, from, to, {topology.port_to(from, to)}, 0};
}

std::string opinion_on(const std::vector<test::Step>& steps, const std::vector<std::pair<Round, NodeId>>& senders) {
    const Machine machine = test::machine("complete:4");
    std::vector<AskedSend> all;
    for (const auto& [round, from] : senders) all.push_back(asked(round, from, 0, *machine.topology));
    return policy_opinion(all, test::schedule(*machine.topology, steps), machine, Collective::broadcast(0, 8),
                          Verdict());
}

TEST(AnotherOrderOfClaims, IsNoticedWhereTheHigherSenderGoesFirst) {
    EXPECT_EQ(opinion_on({{1, 1, 0}, {2, 2, 0}}, {{1, 1}, {1, 2}}), "");
    EXPECT_EQ(opinion_on({{1, 2, 0}, {2, 1, 0}}, {{1, 1}, {1, 2}}),
              "a message from node 2 to node 0 moves in round 1, and should not");
}

TEST(AnotherOrderOfClaims, IsNoticedWhereAClaimDoesNotAge) {
    EXPECT_EQ(opinion_on({{1, 2, 0}, {2, 3, 0}, {3, 1, 0}}, {{2, 1}, {1, 2}, {1, 3}}), "");
    EXPECT_EQ(opinion_on({{1, 2, 0}, {2, 1, 0}, {3, 3, 0}}, {{2, 1}, {1, 2}, {1, 3}}),
              "a message from node 1 to node 0 moves in round 2, and should not");
}

TEST(AnotherOrderOfClaims, IsNoticedWhereNoNodeMovesThoughOneCould) {
    EXPECT_EQ(opinion_on({{1, 1, 0}, {3, 2, 0}}, {{1, 1}, {1, 2}}),
              "a message from node 2 to node 0 moves in round 3, and should not");
    EXPECT_EQ(opinion_on({{1, 1, 0}}, {{1, 1}, {1, 2}}),
              "a message from node 2 to node 0 does not move in round 2, and should");
}

}  // namespace
}  // namespace kport
