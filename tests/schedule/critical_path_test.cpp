/// @file critical_path_test.cpp   The messages that make the last receipt late.
#include "emulator/schedule/critical_path.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::machine;
using test::schedule;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> told(const CriticalPath& path) {
    std::vector<std::string> all;
    for (const CriticalMessage& m : path.messages)
        all.push_back(fmt::format("{} {}>{} {}", m.round, m.from, m.to, name(m.delay)));
    return all;
}

std::vector<std::string> path_of(const Machine& on, const Collective& collective,
                                 const std::vector<test::Step>& steps) {
    return told(critical_path(schedule(*on.topology, steps), on, collective));
}

TEST(CriticalPath, FollowsAPacketBackToItsOwner) {
    const Machine line = machine("line:4");
    EXPECT_THAT(path_of(line, Collective::broadcast(0, 8), {{1, 0, 1}, {2, 1, 2}, {3, 2, 3}}),
                ElementsAre("1 0>1 start", "2 1>2 packet", "3 2>3 packet"));
    EXPECT_THAT(path_of(line, Collective::broadcast(0, 8), {}), IsEmpty());
}

TEST(CriticalPath, WaitsForAPortOfTheSender) {
    EXPECT_THAT(path_of(machine("complete:4"), Collective::broadcast(0, 8), {{1, 0, 1}, {2, 0, 2}, {3, 0, 3}}),
                ElementsAre("1 0>1 start", "2 0>2 sender", "3 0>3 sender"));
    EXPECT_THAT(path_of(machine("complete:4", PortLimit(2)), Collective::broadcast(0, 8), {{1, 0, 1}, {2, 0, 3}}),
                ElementsAre("2 0>3 start"))
        << "one of two ports was free: nothing known held it up";
}

TEST(CriticalPath, WaitsForAPortOfTheReceiver) {
    const Collective gather = Collective::gather(0, 8);
    EXPECT_THAT(
        path_of(machine("complete:3"), gather, {{1, 1, 0, {}, {PacketBlock{1}}}, {2, 2, 0, {}, {PacketBlock{2}}}}),
        ElementsAre("1 1>0 start", "2 2>0 receiver"));
}

TEST(CriticalPath, WaitsForAChannelOfAllPorts) {
    const Collective scatter = Collective::scatter(0, 8);
    EXPECT_THAT(
        path_of(machine("line:3", PortLimit::all()), scatter,
                {{1, 0, 1, {}, {PacketBlock{1}}}, {2, 0, 1, {}, {PacketBlock{2}}}, {3, 1, 2, {}, {PacketBlock{2}}}}),
        ElementsAre("1 0>1 start", "2 0>1 sender", "3 1>2 packet"));
}

// A copy that comes again brought nothing: the node had the packet from its first receipt on.
TEST(CriticalPath, NeedsAPacketFromItsFirstReceiptOn) {
    const CriticalPath path =
        critical_path(schedule(*make_topology("ring:4"), {{1, 0, 1}, {2, 0, 3}, {3, 3, 2}, {4, 2, 1}, {6, 1, 2}}),
                      machine("ring:4"), Collective::broadcast(0, 8));
    EXPECT_THAT(told(path), ElementsAre("1 0>1 start", "2 0>3 sender", "3 3>2 packet", "6 1>2 receiver"));
    EXPECT_EQ(path.other_rounds, 2U);
}

TEST(CriticalPath, TakesOfTheLastRoundTheSlowestMessage) {
    Machine line = machine("line:4", PortLimit::all());
    line.costs = {1, 0, 0.5};
    const Collective scatter = Collective::scatter(1, 8);
    const CriticalPath path = critical_path(
        schedule(*line.topology, {{1, 1, 0, {}, {PacketBlock{0}}}, {1, 1, 2, {}, {PacketBlock{2, 1, 2}}}}), line,
        scatter);
    EXPECT_THAT(told(path), ElementsAre("1 1>2 start"));
    EXPECT_DOUBLE_EQ(path.latency, 1 + 0.5 * 16);
}

// docs/model.md section 1: a result stands for all contributions to its segment.
TEST(CriticalPath, OfAReductionNeedsTheContributionsOfWhatIsSentOn) {
    const Machine line = machine("line:3");
    const Collective allreduce = Collective::allreduce(8);
    EXPECT_THAT(path_of(line, allreduce,
                        {{1, 2, 1, {}, {PacketBlock{2}}},
                         {2, 1, 0, {}, {PacketBlock{1, 1, 2}}},
                         {3, 0, 1, {}, {PacketBlock{3}}},
                         {4, 1, 2, {}, {PacketBlock{3}}}}),
                ElementsAre("1 2>1 start", "2 1>0 packet", "3 0>1 packet", "4 1>2 packet"));
}

TEST(CriticalPath, OfHalfDuplexPortsWaitsForAReceiptOfTheSender) {
    const Collective gossip = Collective::allgather(8);
    EXPECT_THAT(path_of(test::half_duplex(machine("line:3")), gossip,
                        {{1, 0, 1, {}, {PacketBlock{0}}}, {2, 1, 2, {}, {PacketBlock{1}}}}),
                ElementsAre("1 0>1 start", "2 1>2 sender"));
}

}  // namespace
}  // namespace kport
