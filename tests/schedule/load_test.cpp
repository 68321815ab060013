/// @file load_test.cpp   How many messages pass each channel and node.
#include "emulator/schedule/load.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::schedule;
using testing::ElementsAre;

std::vector<std::string> channels(const Load& load) {
    std::vector<std::string> all;
    for (const ChannelLoad& c : load.channels)
        all.push_back(fmt::format("{}-{}>{}: {} {}", c.from, c.port, c.to, c.messages, c.bytes));
    return all;
}

std::vector<std::string> nodes(const Load& load) {
    std::vector<std::string> all;
    for (const NodeLoad& n : load.nodes)
        all.push_back(fmt::format("{}: {} {} {}", n.node, n.sent, n.received, n.passed_on));
    return all;
}

TEST(Load, CountsAMessageOnEachChannelOfItsPath) {
    const auto line = make_topology("line:4");
    const Load load = load_of(schedule(*line, {{1, 0, 3}, {2, 0, 1}, {2, 3, 2}}), *line, Collective::broadcast(0, 10));
    EXPECT_THAT(channels(load), ElementsAre("0-1>1: 2 20", "1-1>2: 1 10", "2-1>3: 1 10", "3-0>2: 1 10"));
    EXPECT_THAT(nodes(load), ElementsAre("0: 2 0 0", "1: 0 1 1", "2: 0 1 1", "3: 1 1 0"));
    EXPECT_EQ(load.messages, 3U);
    EXPECT_EQ(load.bytes, 30U) << "a message counts once whatever its path";
}

TEST(Load, NamesTheFirstOfTheBusiestChannelsAndNodes) {
    const auto line = make_topology("line:4");
    const Load load = load_of(schedule(*line, {{1, 1, 0}, {1, 2, 3}, {2, 1, 2}}), *line, Collective::broadcast(0, 8));
    EXPECT_EQ(load.busiest_channel()->from, 1U);
    EXPECT_EQ(load.busiest_channel()->to, 0U);
    EXPECT_EQ(load.busiest_node()->node, 1U);
    EXPECT_EQ(load_of({}, *line, Collective::broadcast(0, 8)).busiest_channel(), nullptr);
    EXPECT_EQ(load_of({}, *line, Collective::broadcast(0, 8)).busiest_node(), nullptr);
}

TEST(Load, IsOfTheRoundsThatAreNamed) {
    const auto line = make_topology("line:4");
    const Schedule rounds = schedule(*line, {{1, 0, 1}, {2, 1, 2}, {3, 2, 3}});
    EXPECT_THAT(channels(load_of(rounds, *line, Collective::broadcast(0, 8), 2, 2)), ElementsAre("1-1>2: 1 8"));
}

TEST(Load, EndsWhereAPathLeavesTheMachineAndCountsNoBytesOfPacketsThatDoNotExist) {
    const auto line = make_topology("line:3");
    const Load load = load_of(schedule(*line, {{1, 0, 1, {0, 1}}, {2, 0, 1, {1}, {PacketBlock{7}}}}), *line,
                              Collective::broadcast(0, 8));
    EXPECT_THAT(channels(load), ElementsAre("0-1>1: 1 0"));
    EXPECT_THAT(nodes(load), ElementsAre("0: 2 0 0", "1: 0 2 0"));
    EXPECT_EQ(load.bytes, 8U);
}

TEST(Load, OfAMachineWithSwitchesHasTheSwitches) {
    const auto star = make_topology("crossbar:3");
    Schedule one;
    const Topology& wires = star->wires();
    const std::vector<Port> route = test::own_route(wires, 0, 2);
    const PacketBlock packet{0};
    one.add(1, {0, 2, route, {&packet, 1}});
    const Load load = load_of(one, *star, Collective::broadcast(0, 8));
    EXPECT_THAT(nodes(load), ElementsAre("0: 1 0 0", "2: 0 1 0", "3: 0 0 1"));
    EXPECT_EQ(load.channels.size(), 2U);
}

}  // namespace
}  // namespace kport
