/// @file reversed_test.cpp   Time reversal: what it reverses, keeps and refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algorithms/catalogue.hpp"
#include "emulator/base/error.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::machine;
using test::schedule;
using test::text;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Reversed, ReversesTransfersAndRounds) {
    const auto tree = make_topology("cbt:2");
    const Schedule forth = schedule(*tree, {{1, 0, 1}, {2, 0, 2}, {2, 1, 3}, {3, 1, 4}, {3, 2, 5}, {4, 2, 6}});
    EXPECT_EQ(text(reversed(forth, *tree)), "1: 6>2 | 2: 5>2 4>1 | 3: 3>1 2>0 | 4: 1>0");
}

TEST(Reversed, TakesThePathBackByTheOppositeChannels) {
    const auto mesh = make_topology("mesh:2x3");
    const Schedule forth = schedule(*mesh, {{1, 0, 5, {1, 3, 3}}});  // down, right, right
    const Schedule turned = reversed(forth, *mesh);
    const Transfer back = turned.transfer(0);
    EXPECT_EQ(back.from, 5U);
    EXPECT_EQ(back.to, 0U);
    EXPECT_THAT(back.route, ElementsAre(2, 2, 0));  // left, left, up
}

TEST(Reversed, KeepsThePackets) {
    const auto line = make_topology("line:2");
    const std::vector<PacketBlock> packets = {{3, 2, 4}, {100, 1, 1}};
    const std::vector<Port> right = {1};
    Schedule forth;
    forth.add(1, {0, 1, right, packets});
    const Schedule turned = reversed(forth, *line);
    EXPECT_THAT(turned.transfer(0).packets, ElementsAre(packets[0], packets[1]));
}

TEST(Reversed, OfAnEmptyScheduleIsEmpty) { EXPECT_TRUE(reversed({}, *make_topology("line:1")).empty()); }

TEST(Reversed, RefusesWhatWasNeverAPath) {
    const auto line = make_topology("line:3");
    const auto refusal = [&](const std::vector<test::Step>& steps) -> std::string {
        try {
            (void)reversed(schedule(*line, steps), *line);
        } catch (const RequestError& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_EQ(refusal({{1, 0, 1}, {2, 1, 2, {1, 1}}}),
              "transfers[1] (round 2, from 1 to 2): node 2 has no link by port 1");
    EXPECT_EQ(refusal({{1, 0, 2, {1}}}), "transfers[0] (round 1, from 0 to 2): its route ends at node 1");
    EXPECT_EQ(refusal({{1, 0, 1, {1, 1}}}), "transfers[0] (round 1, from 0 to 1): its route ends at node 2");
    EXPECT_EQ(refusal({{1, 0, 1}, {1, 1, 2, {2}}}),
              "transfers[1] (round 1, from 1 to 2): port 2: line:3 has ports 0 to 1");
    EXPECT_EQ(refusal({{1, 0, 1, {7}}}), "transfers[0] (round 1, from 0 to 1): port 7: line:3 has ports 0 to 1");
    EXPECT_EQ(refusal({{1, 3, 1, {0}}}), "transfers[0] (round 1, from 3 to 1): node 3: line:3 has nodes 0 to 2");
    EXPECT_EQ(refusal({{1, 0, 9, {1}}}), "transfers[0] (round 1, from 0 to 9): node 9: line:3 has nodes 0 to 2");
    EXPECT_EQ(refusal({{0, 0, 1}}), "transfers[0] (round 0, from 0 to 1): rounds count from 1");
}

TEST(WellFormed, RefusesAPortWhereThereIsNone) {
    const auto one = make_topology("hypercube:0");
    try {
        require_well_formed(schedule(*one, {{1, 0, 0, {0}}}), *one);
        FAIL();
    } catch (const RequestError& error) {
        EXPECT_STREQ(error.what(), "transfers[0] (round 1, from 0 to 0): port 0: hypercube:0 has no ports");
    }
}

TEST(ASchedule, DoesNotGoBack) {
    const auto line = make_topology("line:3");
    EXPECT_THROW((void)schedule(*line, {{2, 0, 1}, {1, 1, 2}}), RequestError);
}

TEST(WellFormed, RefusesEmptyRoutesAndEmptyMessages) {
    const auto line = make_topology("line:2");
    const std::vector<Port> right = {1};
    const PacketBlock packet{0};
    const auto refusal = [&](std::span<const Port> route, std::span<const PacketBlock> packets) -> std::string {
        Schedule one;
        one.add(1, {0, 1, route, packets});
        try {
            require_well_formed(one, *line);
        } catch (const RequestError& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_EQ(refusal(right, {&packet, 1}), "accepted");
    EXPECT_THAT(refusal({}, {&packet, 1}), HasSubstr("an empty route"));
    EXPECT_THAT(refusal(right, {}), HasSubstr("no packet"));
}

/// Walks at random, of up to 5 links, in rounds that do not go back.
Schedule any_schedule(const Topology& topology) {
    const auto below = [](std::uint64_t n) { return *rc::gen::inRange<std::uint64_t>(0, n); };
    Schedule any;
    Round round = 1;
    for (std::uint64_t left = below(20); left > 0; --left) {
        round += static_cast<Round>(below(2));
        const NodeId from = below(topology.nodes());
        NodeId at = from;
        std::vector<Port> route;
        for (std::uint64_t hops = 1 + below(5); hops > 0; --hops) {
            const auto port = static_cast<Port>(below(topology.ports()));
            const LinkEnd end = topology.across(at, port);
            if (end.node == no_node) continue;
            route.push_back(port);
            at = end.node;
        }
        const auto small = [&](std::uint64_t n) { return static_cast<std::uint32_t>(below(n)); };
        const PacketBlock packet{small(4), 1 + small(3), 1 + small(3)};
        if (!route.empty()) any.add(any.empty() ? 1 : round, {from, at, route, {&packet, 1}});
    }
    return any;
}

RC_GTEST_PROP(Reversed, TwiceIsTheScheduleItself, ()) {
    const auto topology = make_topology(
        *rc::gen::element<std::string>("ring:5", "mesh:3x3", "torus:2x3", "hypercube:3", "complete:4", "cbt:2"));
    const Schedule any = any_schedule(*topology);
    RC_ASSERT(reversed(reversed(any, *topology), *topology) == any);
}

/// Every broadcast of the catalogue, reversed: model.md section 1, "AOR costs exactly what OAB costs".
RC_GTEST_PROP(Reversed, ABroadcastKeepsPortsAndChannelsAndCostsTheSame, ()) {
    Machine m =
        machine(*rc::gen::element<std::string>("ring:7", "mesh:3x4", "torus:3x4", "hypercube:4", "complete:9", "cbt:3"),
                *rc::gen::element(PortLimit(1), PortLimit(2), PortLimit::all()));
    m.switching = *rc::gen::element(Switching::store_and_forward, Switching::wormhole);
    m.costs = {7, 3, 0.5};
    Collective collective;
    collective.root = *rc::gen::inRange<NodeId>(0, m.topology->nodes());
    for (const Algorithm* algorithm : applicable(m, collective, {})) {
        if (algorithm->operation != Operation::broadcast) continue;
        const test::Outcome forth = test::run(make_job(*algorithm, m, collective, {}));
        const Schedule back = reversed(forth.schedule, *m.topology);
        const Verdict verdict = audit(back, m, Collective::broadcast(collective.root, collective.packet_bytes), false);
        const Metrics& a = forth.verdict.metrics;
        const Metrics& b = verdict.metrics;
        RC_ASSERT(verdict.kept(Rule::ports) && verdict.kept(Rule::channel));
        RC_ASSERT(b.rounds == a.rounds);
        RC_ASSERT(b.work == a.work);
        RC_ASSERT(b.path_sum == a.path_sum);
        RC_ASSERT(b.volume == a.volume);
        RC_ASSERT(b.latency == a.latency);
    }
}

}  // namespace
}  // namespace kport
