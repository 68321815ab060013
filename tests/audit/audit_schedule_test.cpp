/// @file audit_schedule_test.cpp   The audit of a schedule without a run: costs, refusals, and the order and shards on
///                                 which the verdict does not depend.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/base/error.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::machine;
using test::schedule;
using test::Step;
using testing::HasSubstr;

std::string refusal(const Schedule& schedule, const Machine& machine,
                    const Collective& collective = Collective::broadcast(0, 8)) {
    try {
        (void)audit(schedule, machine, collective, false);
    } catch (const RequestError& error) {
        return error.what();
    } catch (const DoesNotFit& error) {
        return std::string("does not fit: ") + error.what();
    }
    return "accepted";
}

// ------------------------------------------------------------------------------------------------------------- refusals

TEST(AuditOfASchedule, RefusesNodesAndPortsOfAnotherTopology) {
    const Machine line = machine("line:3");
    EXPECT_EQ(refusal(schedule(*line.topology, {{1, 0, 1}, {2, 1, 2}}), line), "accepted");
    EXPECT_EQ(refusal(schedule(*line.topology, {{1, 0, 1}, {2, 1, 3, {1}}}), line),
              "transfers[1] (round 2, from 1 to 3): node 3: line:3 has nodes 0 to 2");
    EXPECT_EQ(
        refusal(schedule(*line.topology, {{1, no_node, 1, {1}}}), line),
        "transfers[0] (round 1, from 18446744073709551615 to 1): node 18446744073709551615: line:3 has nodes 0 to 2");
    EXPECT_EQ(refusal(schedule(*line.topology, {{1, 0, 1, {2}}}), line),
              "transfers[0] (round 1, from 0 to 1): port 2: line:3 has ports 0 to 1");
    EXPECT_EQ(refusal(schedule(*line.topology, {{1, 0, 1, {no_port}}}), test::wormhole(line)),
              "transfers[0] (round 1, from 0 to 1): port 4294967295: line:3 has ports 0 to 1");
    EXPECT_EQ(refusal(schedule(*line.topology, {{1, 0, 0, {0}}}), machine("complete:1")),
              "transfers[0] (round 1, from 0 to 0): port 0: complete:1 has no ports");
    EXPECT_THAT(refusal(schedule(*line.topology, {{0, 0, 1}}), line), HasSubstr("rounds count from 1"));
}

TEST(AuditOfASchedule, RefusesAnythingButPacket0Alone) {
    const Machine line = machine("line:2");
    const std::vector<Port> right = {1};
    const auto with = [&](const std::vector<PacketBlock>& packets) {
        Schedule one;
        one.add(1, {0, 1, right, packets});
        return refusal(one, line);
    };
    EXPECT_EQ(with({{0, 1, 1}}), "accepted");
    EXPECT_EQ(with({{0, 7, 1}}), "accepted");
    EXPECT_EQ(with({{1, 1, 1}}), "transfers[0].packets: it names packet 1; a broadcast moves packet 0 alone");
    EXPECT_EQ(with({{0, 1, 2}}), "transfers[0].packets: it names packet 1; a broadcast moves packet 0 alone");
    EXPECT_EQ(with({{0, 1, 1}, {0, 1, 1}}),
              "transfers[0].packets: it names packet 0 twice; a message carries a set of packets");
    EXPECT_EQ(with({}), "transfers[0] (round 1, from 0 to 1): no packet; a message carries at least one");
}

TEST(AuditOfASchedule, LooksAtThePacketsOfEveryTransfer) {
    const Machine line = machine("line:4");
    const auto packet = [](std::uint32_t number) { return std::vector<PacketBlock>{PacketBlock{number}}; };
    EXPECT_EQ(refusal(schedule(*line.topology, {{1, 0, 1}, {2, 1, 2}, {3, 2, 3, {}, packet(1)}}), line),
              "transfers[2].packets: it names packet 1; a broadcast moves packet 0 alone");
}

TEST(AuditOfASchedule, RefusesASourceOutsideAndAMachineTooLarge) {
    EXPECT_EQ(refusal({}, machine("line:3"), Collective::broadcast(3, 8)), "source '3': line:3 has nodes 0 to 2");
    EXPECT_EQ(refusal({}, machine("line:3"), Collective::broadcast(2, 8)), "accepted");
    EXPECT_NO_THROW(require_readable({}, machine("line:4294967295"), Collective::broadcast(0, 8)));
    EXPECT_THAT(refusal({}, machine("line:4294967296")),
                HasSubstr("does not fit: line:4294967296 has 4294967296 nodes"));
}

TEST(AnAuditor, TakesNoSourceThatIsNoNode) {
    const Machine line = machine("line:3");
    EXPECT_THROW(Auditor(line, Collective::broadcast(3, 8), 1, false), RequestError);
}

// ---------------------------------------------------------------------------------------------------------------- costs

TEST(AuditOfASchedule, MeasuresTheFourQuantities) {
    Machine line = test::wormhole(machine("line:5"));
    line.costs = {100, 10, 1};
    const Verdict verdict = audit(schedule(*line.topology, {{1, 0, 3}, {2, 0, 1}, {2, 3, 2}, {3, 3, 4}}), line,
                                  Collective::broadcast(0, 7), true);
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.metrics.rounds, 3U);
    EXPECT_EQ(verdict.metrics.work, 6U);
    EXPECT_EQ(verdict.metrics.path_sum, 5U);
    EXPECT_EQ(verdict.metrics.volume, 21U);
    EXPECT_EQ(verdict.metrics.latency, 371);
    EXPECT_EQ(verdict.metrics.transfers, 4U);
    EXPECT_EQ(verdict.metrics.bytes, 28U);
    ASSERT_EQ(verdict.per_round.size(), 3U);
    EXPECT_EQ(verdict.per_round[0].longest_path, 3U);
    EXPECT_EQ(verdict.per_round[1].transfers, 2U);
    EXPECT_EQ(verdict.per_round[1].reached, 2U);
    EXPECT_EQ(verdict.per_round[1].slowest, 117);
}

TEST(AuditOfASchedule, GivesTheTableOfRoundsOnlyWhenAsked) {
    const Machine line = machine("line:2");
    EXPECT_TRUE(
        audit(schedule(*line.topology, {{1, 0, 1}}), line, Collective::broadcast(0, 8), false).per_round.empty());
}

TEST(AuditOfASchedule, AnEmptyPacketCostsAStartupToo) {
    Machine line = machine("line:2");
    line.costs = {5, 3, 1};
    EXPECT_EQ(audit(schedule(*line.topology, {{1, 0, 1}}), line, Collective::broadcast(0, 0), false).metrics.latency,
              8);
}

// ----------------------------------------------------------------------------------------------------------- properties

/// Any transfers, lawful or not, over links and paths that may or may not be there.
std::vector<Step> any_steps(const Topology& topology) {
    const auto below = [](std::uint64_t n) { return *rc::gen::inRange<std::uint64_t>(0, n); };
    std::vector<Step> steps;
    Round round = 1;
    for (std::uint64_t left = below(30); left > 0; --left) {
        round += below(4) == 0 ? 1 : 0;
        Step step{round, below(topology.nodes()), below(topology.nodes())};
        for (std::uint64_t hops = 1 + (below(3) == 0 ? below(4) : 0); hops > 0; --hops)
            step.route.push_back(static_cast<Port>(below(topology.ports())));
        if (below(4) != 0) {  // usually the node where the route ends
            LinkEnd end{step.from, no_port};
            for (const Port port : step.route)
                if (end.node != no_node) end = topology.across(end.node, port);
            if (end.node != no_node) step.to = end.node;
        }
        steps.push_back(step);
    }
    return steps;
}

Machine any_machine() {
    Machine any = machine(*rc::gen::element<std::string>("line:4", "ring:3", "ring:5", "hypercube:2", "mesh:2x3",
                                                         "torus:3x3", "complete:4", "cbt:2"),
                          *rc::gen::element(PortLimit(1), PortLimit(2), PortLimit(3), PortLimit::all()));
    any.duplex = *rc::gen::element(Duplex::full, Duplex::half);
    any.switching = *rc::gen::element(Switching::store_and_forward, Switching::wormhole);
    if (any.duplex == Duplex::full && *rc::gen::inRange(0, 3) == 0)
        any.ports = *rc::gen::element(PortLimit(1, 2), PortLimit(2, 1), PortLimit(no_port, 1));
    return any;
}

RC_GTEST_PROP(AuditOfASchedule, DoesNotDependOnTheOrderWithinARound, ()) {
    const Machine any = any_machine();
    std::vector<Step> steps = any_steps(*any.topology);
    const Collective collective = Collective::broadcast(*rc::gen::inRange<NodeId>(0, any.topology->nodes()), 8);
    const std::string told = test::text(audit(schedule(*any.topology, steps), any, collective, true), *any.topology);
    std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
    std::shuffle(steps.begin(), steps.end(), random);
    std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.round < b.round; });
    RC_ASSERT(test::text(audit(schedule(*any.topology, steps), any, collective, true), *any.topology) == told);
}

/// The auditor called directly, with the nodes in several shards.
Verdict audit_in_shards(const std::vector<Step>& steps, const Machine& machine, unsigned shards) {
    const Schedule schedule = test::schedule(*machine.topology, steps);
    std::vector<unsigned> all;
    for (unsigned shard = 0; shard < shards; ++shard) all.push_back(shard);
    Auditor auditor(machine, Collective::broadcast(0, 8), shards, true);
    for (std::size_t next = 0; next < schedule.size();) {
        const Round round = schedule.round(next);
        std::vector<Transfer> transfers;
        for (; next < schedule.size() && schedule.round(next) == round; ++next)
            transfers.push_back(schedule.transfer(next));
        for (const Transfer& t : transfers) auditor.sent(static_cast<unsigned>(t.from % shards), round, t);
        if (machine.switching == Switching::wormhole) auditor.paths(round, transfers);
        for (const Transfer& t : transfers) auditor.received(static_cast<unsigned>(t.to % shards), round, t);
        auditor.end_round(round, all);
    }
    return auditor.finish();
}

TEST(Auditor, RecordsNoSilentRounds) {
    Auditor auditor(machine("line:2"), Collective::broadcast(0, 8), 1, true);
    (void)auditor.end_round(1, std::vector<unsigned>{0});
    const Verdict verdict = auditor.finish();
    EXPECT_TRUE(verdict.per_round.empty());
    EXPECT_EQ(verdict.metrics.rounds, 0U);
}

TEST(Metrics, AddTheLatencyOfAMillionRoundsWithoutLosingABit) {
    Metrics metrics;
    RoundMetrics round;
    round.transfers = 1;
    round.slowest = 0.1;
    for (round.round = 1; round.round <= 1'000'000; ++round.round) metrics.add(round);
    EXPECT_EQ(metrics.latency, 100'000.0) << "one after the other would give 100000.0000013";
}

TEST(Auditor, SeesAChannelUsedTwiceAlsoWithAJumpBetween) {
    const Machine ring = machine("ring:3", PortLimit::all());
    const Verdict verdict =
        audit_in_shards({{1, 0, 1}, {2, 0, 1, {1}}, {2, 0, 1, {0, 0}}, {2, 0, 1, {1}}, {3, 0, 2}}, ring, 1);
    EXPECT_THAT(test::sentences(verdict, *ring.topology),
                testing::Contains(HasSubstr("the channel of node 0 by port 1 lies on two paths of round 2")));
}

/// Whether an auditor of an allgather on two nodes still says, after these messages, that all is held once.
bool held_once(const std::vector<Step>& steps) {
    const Machine line = machine("line:2");
    const Schedule schedule = test::schedule(*line.topology, steps);
    Auditor auditor(line, {Operation::allgather, 0, 8}, 1, false);
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        auditor.sent(0, schedule.round(i), schedule.transfer(i));
        auditor.received(0, schedule.round(i), schedule.transfer(i));
        (void)auditor.end_round(schedule.round(i), std::vector<unsigned>{0});
    }
    return auditor.held_once(0);
}

TEST(Auditor, DoesNotSayThatAllIsHeldOnceWhereTwoRulesAreBroken) {
    const Step first{1, 0, 1, {}, {PacketBlock{0}}};
    const Step again{2, 0, 1, {}, {PacketBlock{0}}};
    EXPECT_TRUE(held_once({first}));
    EXPECT_FALSE(held_once({first, again}));
    EXPECT_FALSE(held_once({first, again, {3, 0, 1, {}, {PacketBlock{1}}}})) << "NODUP, and sent unheld";
    EXPECT_FALSE(held_once({first, again, {3, 1, 0, {}, {PacketBlock{0}}}})) << "NODUP and NOHO";
}

TEST(Auditor, MeasuresAHopAsOnePacketOverOneLink) {
    const Hop hop{0, 1, 1, 0};
    Auditor auditor(machine("line:2"), Collective::broadcast(0, 8), 1, false);
    auditor.prefetch(hop.to);  // a hint, also where there is no ledger
    auditor.sent(0, 1, hop);
    auditor.received(0, 1, hop);
    const RoundMetrics round = auditor.end_round(1, std::vector<unsigned>{0});
    EXPECT_EQ(round.hops, 1U);
    EXPECT_EQ(round.bytes, 8U);
    EXPECT_EQ(round.largest_bundle, 8U);
    EXPECT_TRUE(auditor.finish().lawful());
}

TEST(Auditor, NamesTheLowestSenderAsTheFirstInWhateverOrderItIsShown) {
    const Machine complete = machine("complete:4", PortLimit::all());
    const Verdict verdict = audit_in_shards({{1, 0, 1}, {1, 0, 2}, {2, 2, 3}, {2, 1, 3}}, complete, 1);
    ASSERT_EQ(verdict.violations.size(), 1U);
    const Violation& again = verdict.violations[0];
    EXPECT_EQ(again.earlier_other, 1U);
    EXPECT_EQ(again.other, 2U);
    EXPECT_EQ(again.port, complete.topology->port_to(3, 2));
    EXPECT_EQ(again.earlier, 2U);
}

RC_GTEST_PROP(Auditor, GivesTheSameVerdictWithAnyNumberOfShards, ()) {
    const Machine any = any_machine();
    const std::vector<Step> steps = any_steps(*any.topology);
    const std::string told = test::text(audit_in_shards(steps, any, 1), *any.topology);
    RC_ASSERT(test::text(audit_in_shards(steps, any, 2), *any.topology) == told);
    RC_ASSERT(test::text(audit_in_shards(steps, any, 7), *any.topology) == told);
}

/// Which rules a schedule keeps, by their definitions in model.md section 1, a set a rule. The oracle of the next test.
struct Kept {
    bool ports = true, channels = true, nodup = true, noho = true, held = true, delivered = true;
};

Kept kept_by_definition(const std::vector<Step>& steps, const Machine& machine, NodeId source) {
    const Topology& topology = *machine.topology;
    Kept kept;
    std::map<std::pair<Round, NodeId>, Port> sends;
    std::map<std::pair<Round, NodeId>, Port> receives;
    std::set<std::tuple<Round, NodeId, Port>> channels;
    std::map<NodeId, Round> first_received;
    for (const Step& step : steps) {
        ++sends[{step.round, step.from}];
        ++receives[{step.round, step.to}];
        NodeId at = step.from;
        std::set<NodeId> visited{at};
        bool simple = true;
        for (const Port port : step.route) {
            const NodeId next = at == no_node ? no_node : topology.across(at, port).node;
            if (next != no_node) {
                kept.channels &= channels.emplace(step.round, at, port).second;
                simple &= visited.insert(next).second;
            }
            at = next;
        }
        kept.channels &= at == step.to && simple;
        kept.channels &= machine.switching == Switching::wormhole || step.route.size() == 1;
        const auto held = first_received.find(step.from);
        kept.held &= step.from == source || (held != first_received.end() && held->second < step.round);
        if (!first_received.emplace(step.to, step.round).second) kept.nodup = false;
    }
    for (const Step& step : steps)
        for (const Step& sent : steps)
            if (sent.from == step.to && sent.round <= step.round) kept.noho = false;
    for (const auto& [who, count] : sends) {
        const auto received = receives.find(who);
        const Port k = machine.sends_of(who.second);
        kept.ports &= count <= k;
        if (machine.duplex == Duplex::half && received != receives.end()) kept.ports &= count + received->second <= k;
    }
    for (const auto& [who, count] : receives) kept.ports &= count <= machine.receives_of(who.second);
    for (NodeId v = 0; v < topology.nodes(); ++v) kept.delivered &= v == source || first_received.count(v) != 0;
    return kept;
}

RC_GTEST_PROP(AuditOfASchedule, FindsARuleBrokenExactlyWhereItsDefinitionIsViolated, ()) {
    const Machine any = any_machine();
    const std::vector<Step> steps = any_steps(*any.topology);
    const NodeId source = *rc::gen::inRange<NodeId>(0, any.topology->nodes());
    const Kept kept = kept_by_definition(steps, any, source);
    const Verdict verdict = audit(schedule(*any.topology, steps), any, Collective::broadcast(source, 8), false);
    RC_LOG() << test::text(verdict, *any.topology);
    RC_ASSERT(verdict.kept(Rule::channel) == kept.channels);
    RC_ASSERT(verdict.kept(Rule::nodup) == kept.nodup);
    RC_ASSERT(verdict.kept(Rule::noho) == kept.noho);
    RC_ASSERT(verdict.delivered == (kept.delivered && kept.held));
    RC_ASSERT(verdict.kept(Rule::strict));
    // With all ports the channel rule is the limit: a broken channel rule needs no report about ports.
    const bool limited =
        !any.has_one_limit() || any.duplex == Duplex::half || any.ports.k() < any.topology->max_degree();
    RC_ASSERT(verdict.kept(Rule::ports) == kept.ports || (!limited && !kept.channels));
}

}  // namespace
}  // namespace kport
