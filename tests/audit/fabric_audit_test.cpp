/// @file fabric_audit_test.cpp   Rules of machines with switches and trunks, each kept and each broken (docs/model.md).
#include <gtest/gtest.h>

#include "emulator/topology/fabric.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::machine;
using test::wormhole;

/// A message of all that its sender owns in an allgather, by its fixed route unless ports are given.
struct Sent {
    Round round;
    NodeId from;
    NodeId to;
    std::vector<Port> route = {};
};

Verdict judged(const Machine& machine, const std::vector<Sent>& messages) {
    Schedule schedule;
    for (const Sent& sent : messages) {
        std::vector<Port> route = sent.route;
        if (route.empty()) machine.topology->fabric()->append_route(sent.from, sent.to, false, route);
        const PacketBlock packet{static_cast<std::uint32_t>(sent.from % machine.topology->nodes())};
        schedule.add(sent.round, {sent.from, sent.to, route, {&packet, 1}});
    }
    return audit(schedule, machine, Collective::allgather(8), false);
}

std::uint64_t broken(const Verdict& verdict, Rule rule) {
    return verdict.violations_by_rule.at(static_cast<std::size_t>(rule));
}
std::uint64_t channels_broken(const Machine& machine, const std::vector<Sent>& messages) {
    return broken(judged(machine, messages), Rule::channel);
}

Machine limited(Machine machine, Port limit) {
    machine.switch_limit = limit;
    return machine;
}

TEST(FabricAudit, CountsAMessageThroughSwitchesOnceAndItsLinksAsWork) {
    const Verdict verdict = judged(machine("fat-tree:4"), {{1, 0, 15}, {2, 1, 0}});
    EXPECT_EQ(broken(verdict, Rule::channel), 0U);
    EXPECT_EQ(verdict.metrics.rounds, 2U);
    EXPECT_EQ(verdict.metrics.work, 8U);
    EXPECT_EQ(verdict.metrics.path_sum, 8U);
}

TEST(FabricAudit, FindsMoreMessagesOnATrunkThanItsCapacity) {
    const std::vector<Sent> both = {{1, 0, 2}, {1, 1, 3}};  // leaf 0 to the spine, and on to leaf 1
    EXPECT_EQ(channels_broken(machine("leaf-spine:2,1,2"), both), 2U);
    EXPECT_EQ(channels_broken(machine("leaf-spine:2,1,2,2"), both), 0U);
    EXPECT_EQ(channels_broken(machine("leaf-spine:2,1,2"), {{1, 0, 2}, {2, 1, 3}}), 0U);
    EXPECT_EQ(channels_broken(machine("leaf-spine:2,1,2"), {{1, 0, 2}, {1, 2, 0}}), 0U) << "two directions";
}

TEST(FabricAudit, HalfDuplexTrunksCarryTheirCapacityInBothDirectionsTogether) {
    Machine half = machine("leaf-spine:2,1,2");
    half.links = Duplex::half;
    EXPECT_EQ(channels_broken(half, {{1, 0, 2}, {1, 3, 1}}), 2U);
    half = machine("leaf-spine:2,1,2,2");
    half.links = Duplex::half;
    EXPECT_EQ(channels_broken(half, {{1, 0, 2}, {1, 3, 1}}), 0U);
}

TEST(FabricAudit, FindsMoreMessagesThroughASwitchThanItsLimit) {
    const std::vector<Sent> both = {{1, 0, 1}, {1, 2, 3}};
    EXPECT_EQ(channels_broken(machine("crossbar:4"), both), 0U);
    EXPECT_EQ(channels_broken(limited(machine("crossbar:4"), 2), both), 0U);
    EXPECT_EQ(channels_broken(limited(machine("crossbar:4"), 1), both), 1U);
}

TEST(FabricAudit, FindsHostsInsideAStoreAndForwardPath) {
    const Machine rails = machine("rail:2,2");
    std::vector<Port> through_host;
    rails.topology->fabric()->append_route(0, 3, /*any=*/true, through_host);
    const std::vector<Sent> message = {{1, 0, 3, through_host}};
    EXPECT_EQ(channels_broken(rails, message), 1U);
    EXPECT_EQ(channels_broken(wormhole(rails), message), 0U);
}

TEST(FabricAudit, FindsPathsThatLeadElsewhereOrVisitANodeTwice) {
    EXPECT_EQ(channels_broken(machine("crossbar:4"), {{1, 0, 1, {0, 2}}}), 1U);
    EXPECT_EQ(channels_broken(machine("crossbar:4"), {{1, 0, 1, {0, 0, 0, 1}}}), 3U)
        << "through itself, over one channel twice, a host within";
}

TEST(FabricAudit, FindsSwitchesAtTheEndsOfMessages) {
    EXPECT_EQ(channels_broken(machine("crossbar:4"), {{1, 0, 4, {0}}}), 1U);
    EXPECT_EQ(channels_broken(machine("crossbar:4"), {{1, 4, 0, {0}}}), 1U);
}

TEST(FabricAudit, HostsUseNoMorePortsThanTheirLinksCarry) {
    Machine two = machine("crossbar:4", PortLimit(2));
    EXPECT_EQ(broken(judged(two, {{1, 0, 1}, {1, 0, 2}}), Rule::ports), 1U);
    two.topology = make_topology("nvswitch:4,2");
    EXPECT_EQ(two.ports_of(0), 2U);
    EXPECT_EQ(broken(judged(two, {{1, 0, 1, {0, 1}}, {1, 0, 2, {1, 2}}}), Rule::ports), 0U);
    EXPECT_EQ(broken(judged(two, {{1, 0, 1, {0, 1}}, {1, 0, 2, {1, 2}}, {1, 0, 3, {0, 3}}}), Rule::ports), 1U);
}

TEST(FabricAudit, CountsSendsAndReceivesOfHostsApart) {
    const std::vector<Sent> two_sends = {{1, 0, 1, {0, 1}}, {1, 0, 2, {1, 2}}};
    const std::vector<Sent> two_receives = {{1, 1, 0, {0, 0}}, {1, 2, 0, {1, 0}}};
    const auto ports_broken = [](PortLimit ports, const std::vector<Sent>& messages) {
        return broken(judged(machine("nvswitch:4,2", ports), messages), Rule::ports);
    };
    EXPECT_EQ(ports_broken(PortLimit(2, 1), two_sends), 0U);
    EXPECT_EQ(ports_broken(PortLimit(1, 2), two_sends), 1U);
    EXPECT_EQ(ports_broken(PortLimit(2, 1), two_receives), 1U);
    EXPECT_EQ(ports_broken(PortLimit(1, 2), two_receives), 0U);
    EXPECT_EQ(broken(judged(machine("crossbar:4", PortLimit(1, 2)), {{1, 1, 0}, {1, 2, 0}}), Rule::ports), 1U)
        << "a host with one plain link takes one message a round";
}

}  // namespace
}  // namespace kport
