/// @file counts_test.cpp   Numbers of packets that differ: how they are read, and which packets there are.
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

Collective with_counts(Collective collective, const std::string& words, NodeId nodes) {
    const CountedFor counted_for = collective.operation->counted_for;
    return counting(collective, std::make_shared<const Counts>(
                                    counts_named(words, name(collective.operation), nodes, counted_for, 1)));
}

std::string refusal_of_counts(const std::string& words, CountedFor counted_for, NodeId nodes) {
    try {
        (void)counts_named(words, "allgather", nodes, counted_for, 1);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "";
}

TEST(SomeCounts, AreReadAndWrittenInTheSameWords) {
    for (const char* words : {"0", "3", "4294967294"})
        EXPECT_EQ(text(counts_named(words, "scatter", 1, CountedFor::nodes, 1)), words);
    EXPECT_EQ(text(counts_named("3,0,5", "scatter", 3, CountedFor::nodes, 1)), "3,0,5");
    EXPECT_EQ(text(counts_named("0,2/1,0", "alltoall", 2, CountedFor::pairs, 1)), "0,2/1,0");
}

TEST(SomeCounts, OfANodeForItselfAreNotLookedAt) {
    const Counts counts = counts_named("7,2/1,9", "alltoall", 2, CountedFor::pairs, 1);
    EXPECT_EQ(counts.largest(), 2U);
    EXPECT_EQ(counts.least(), 1U);
    EXPECT_EQ(counts.total(), 3U);
    EXPECT_EQ(counts.row_sum(0), 2U);
    EXPECT_EQ(counts.column_sum(0), 1U);
}

TEST(SomeCounts, AreDrawnFromARangeByTheSeed) {
    const auto drawn = [](std::uint64_t seed) {
        return counts_named("random:2..6", "gather", 200, CountedFor::nodes, seed);
    };
    EXPECT_EQ(drawn(1), drawn(1));
    EXPECT_FALSE(drawn(1) == drawn(2));
    EXPECT_EQ(drawn(1).least(), 2U);
    EXPECT_EQ(drawn(1).largest(), 6U);
}

TEST(SomeCounts, AreRefusedWithTheEntryThatIsWrong) {
    const auto nodes = CountedFor::nodes;
    EXPECT_EQ(refusal_of_counts("3,0,5,1,2", nodes, 8), "counts has 5 numbers; allgather on 8 nodes takes 8");
    EXPECT_THAT(refusal_of_counts("3,-1,5", nodes, 3), HasSubstr("entry 2 is '-1'; want a whole number"));
    EXPECT_THAT(refusal_of_counts("3,1.5,5", nodes, 3), HasSubstr("entry 2 is '1.5'"));
    EXPECT_THAT(refusal_of_counts("3,x,5", nodes, 3), HasSubstr("entry 2 is 'x'"));
    EXPECT_THAT(refusal_of_counts("3,,5", nodes, 3), HasSubstr("entry 2 is empty"));
    EXPECT_THAT(refusal_of_counts("3,4294967296,5", nodes, 3), HasSubstr("entry 2 is '4294967296'"));
    EXPECT_THAT(refusal_of_counts("0,1/1,0", nodes, 2), HasSubstr("a number for each node, not a matrix"));
    for (const char* range : {"random:5..2", "random:", "random:1", "random:x..2", "random:0..4294967295"})
        EXPECT_THAT(refusal_of_counts(range, nodes, 3), HasSubstr("want random:S..T")) << range;
    const auto pairs = CountedFor::pairs;
    EXPECT_THAT(refusal_of_counts("3,0,5", pairs, 3), HasSubstr("takes a matrix: rows apart by /"));
    EXPECT_THAT(refusal_of_counts("0,1/1,0", pairs, 3), HasSubstr("takes a matrix of 3: rows apart by /"));
    EXPECT_THAT(refusal_of_counts("0,1/1,0,2", pairs, 2), HasSubstr("row 2 has 3 numbers"));
    EXPECT_THAT(refusal_of_counts("0,1/x,0", pairs, 2), HasSubstr("row 2, entry 1 is 'x'"));
}

TEST(CountsThatDiffer, SayWhichPacketsThereAre) {
    const Collective gather = with_counts(Collective::gather(0, 8), "2,0,3", 3);
    EXPECT_EQ(gather.packets_each, 3U);
    EXPECT_EQ(gather.owned(0, 3).size(), 2U);
    EXPECT_TRUE(gather.owned(1, 3).empty());
    EXPECT_EQ(gather.owned(2, 3).size(), 3U);
    EXPECT_EQ(gather.wanted(0, 3).size(), 5U);

    const Collective alltoall = with_counts(Collective::alltoall(8), "0,2,1/3,0,0/1,1,0", 3);
    EXPECT_EQ(alltoall.owned(0, 3).size(), 3U);
    EXPECT_EQ(alltoall.wanted(0, 3).size(), 4U);
    EXPECT_EQ(alltoall.wanted(2, 3).size(), 1U);

    const Collective blocks = with_counts(Collective::reduce_scatter(8), "2,0,1", 3);
    EXPECT_EQ(blocks.owned(1, 3).size(), 3U);
    EXPECT_EQ(blocks.wanted(0, 3).size(), 6U);
    EXPECT_TRUE(blocks.wanted(1, 3).empty());
}

TEST(CountsThatDiffer, LeaveAMachineWithoutPacketsLawful) {
    const Collective nothing = with_counts(Collective::allgather(8), "0,0,0", 3);
    EXPECT_EQ(nothing.packets_each, 1U);
    EXPECT_TRUE(nothing.wanted(0, 3).empty());
    EXPECT_NO_THROW(require_valid(nothing, *make_topology("ring:3")));
}

TEST(CountsThatDiffer, ForbidMessagesOfPacketsThatThereAreNot) {
    const Collective scatter = with_counts(Collective::scatter(0, 8), "2,0,3", 3);
    const PacketSpace space(scatter, 3);
    EXPECT_TRUE(space.has(PacketBlock{2, 1, 1, 0, 1, 3}));
    EXPECT_FALSE(space.has(PacketBlock{0, 1, 1, 0, 1, 3}));
    const PacketBlock beyond{0, 1, 1, 2};
    EXPECT_THAT(space.text(space.fault_of({&beyond, 1})), HasSubstr("packet 2 of node 0, which has 2"));
}

TEST(CountsOfNeighbours, AreRefusedWhereThereIsNoLink) {
    const auto line = make_topology("line:3");
    const Collective exchange = with_counts(Collective::of(Operation::neighbor_alltoall, 0, 8), "0,1,2/1,0,1/0,1,0", 3);
    try {
        require_valid(fitted(exchange, *line), *line);
        FAIL() << "nodes 0 and 2 are no neighbours";
    } catch (const RequestError& error) {
        EXPECT_THAT(error.what(), HasSubstr("2 packets from node 0 to node 2"));
    }
}

}  // namespace
}  // namespace kport
