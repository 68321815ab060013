/// @file channel_table_test.cpp   The table of taken channels against a map, with few ports and with many.
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/machine/channel_table.hpp"

namespace kport {
namespace {

void expect_a_map(const std::string& spec) {
    const auto topology = make_topology(spec);
    ChannelTable table(*topology);
    Round round = 0;
    for (int rounds = *rc::gen::inRange(1, 6); rounds > 0; --rounds) {
        round += *rc::gen::inRange<Round>(1, 4);
        const auto takes = *rc::gen::inRange<std::size_t>(0, 60);
        table.restart(round, takes);
        std::map<std::pair<NodeId, Port>, NodeId> model;
        for (std::size_t i = 0; i < takes; ++i) {
            const auto v = *rc::gen::inRange<NodeId>(0, topology->nodes());
            const auto port = *rc::gen::inRange<Port>(0, topology->ports());
            const auto found = model.find({v, port});
            RC_ASSERT(table.owner(v, port) == (found == model.end() ? no_node : found->second));
            if (found == model.end()) {
                const auto owner = *rc::gen::inRange<NodeId>(0, topology->nodes());
                table.take(v, port, owner);
                model[{v, port}] = owner;
            }
        }
        for (const auto& [channel, owner] : model) RC_ASSERT(table.owner(channel.first, channel.second) == owner);
    }
}

RC_GTEST_PROP(ChannelTable, IsAMapOfTheRoundWithFewPorts, ()) { expect_a_map("torus:3x4"); }
RC_GTEST_PROP(ChannelTable, IsAMapOfTheRoundWithManyPorts, ()) { expect_a_map("complete:80"); }

TEST(ChannelTable, HoldsAllChannelsOfALargeMachine) {
    const auto cube = make_topology("hypercube:20");
    const NodeId last = cube->nodes() - 1;
    ChannelTable table(*cube);
    table.restart(1, 2);
    table.take(0, 0, 5);
    table.take(last, 19, 7);
    EXPECT_EQ(table.owner(0, 0), 5U);
    EXPECT_EQ(table.owner(last, 19), 7U);
    EXPECT_EQ(table.owner(last, 18), no_node);
}

TEST(ChannelTable, FindsAFreeChannelWhenItIsFull) {
    const auto complete = make_topology("complete:80");
    ChannelTable table(*complete);
    table.restart(1, 64);
    for (Port port = 0; port < 64; ++port) table.take(3, port, 3);
    EXPECT_EQ(table.owner(3, 63), 3U);
    EXPECT_EQ(table.owner(3, 64), no_node);
}

}  // namespace
}  // namespace kport
