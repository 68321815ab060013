/// @file collective_test.cpp   What each operation promises, written out for five nodes.
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {
namespace {

constexpr NodeId nodes = 5;
constexpr NodeId root = 2;

/// (row, column) of each packet.
using Packets = std::set<std::pair<std::uint32_t, std::uint32_t>>;

Packets written_out(const PacketSet& set) {
    Packets packets;
    for (const PacketBlock& block : set.blocks())
        for (std::uint32_t j = 0; j < block.rows; ++j)
            for (std::uint32_t i = 0; i < block.count; ++i) packets.emplace(block.all_rows()[j], block.columns()[i]);
    return packets;
}

Collective of(Operation operation) { return {operation, root, 8}; }
Packets owned_by(NodeId v, Operation operation) { return written_out(of(operation).owned(v, nodes)); }
Packets wanted_by(NodeId v, Operation operation) { return written_out(of(operation).wanted(v, nodes)); }
std::uint64_t packets_of(Operation operation) { return of(operation).packets(nodes); }

const Packets all_five{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}};

TEST(ACollective, OfABroadcastIsTheSourcesPacketForEveryNode) {
    for (std::uint32_t v = 0; v < nodes; ++v) {
        EXPECT_EQ(owned_by(v, Operation::broadcast), v == root ? (Packets{{0, 0}}) : Packets{});
        EXPECT_EQ(wanted_by(v, Operation::broadcast), (Packets{{0, 0}}));
    }
    EXPECT_EQ(packets_of(Operation::broadcast), 1U);
}

TEST(ACollective, OfAScatterIsAPacketOfTheSourceForEach) {
    for (std::uint32_t v = 0; v < nodes; ++v) {
        EXPECT_EQ(owned_by(v, Operation::scatter), v == root ? all_five : Packets{});
        EXPECT_EQ(wanted_by(v, Operation::scatter), (Packets{{0, v}}));
    }
    EXPECT_EQ(packets_of(Operation::scatter), nodes);
}

TEST(ACollective, OfGatherAndReduceIsEveryPacketAtTheRoot) {
    for (const Operation& operation : {Operation::gather, Operation::reduce}) {
        for (std::uint32_t v = 0; v < nodes; ++v) {
            EXPECT_EQ(owned_by(v, operation), (Packets{{0, v}}));
            EXPECT_EQ(wanted_by(v, operation), v == root ? all_five : Packets{});
        }
        EXPECT_EQ(packets_of(operation), nodes);
    }
}

TEST(ACollective, OfAllgatherAndAllreduceIsEveryPacketForEveryNode) {
    for (const Operation& operation : {Operation::allgather, Operation::allreduce}) {
        for (std::uint32_t v = 0; v < nodes; ++v) {
            EXPECT_EQ(owned_by(v, operation), (Packets{{0, v}}));
            EXPECT_EQ(wanted_by(v, operation), all_five);
        }
        EXPECT_EQ(packets_of(operation), nodes);
    }
}

TEST(ACollective, OfAScanIsThePacketsUpToTheNodesOwn) {
    Packets prefix;
    for (std::uint32_t v = 0; v < nodes; ++v) {
        prefix.emplace(0, v);
        EXPECT_EQ(owned_by(v, Operation::scan), (Packets{{0, v}}));
        EXPECT_EQ(wanted_by(v, Operation::scan), prefix);
    }
    EXPECT_EQ(packets_of(Operation::scan), nodes);
}

TEST(ACollective, OfAnAlltoallIsARowAtTheStartAndAColumnAtTheEnd) {
    for (std::uint32_t v = 0; v < nodes; ++v) {
        Packets row;
        Packets column;
        for (std::uint32_t w = 0; w < nodes; ++w) {
            row.emplace(v, w);
            column.emplace(w, v);
        }
        EXPECT_EQ(owned_by(v, Operation::alltoall), row);
        EXPECT_EQ(wanted_by(v, Operation::alltoall), column);
    }
    EXPECT_EQ(packets_of(Operation::alltoall), nodes * nodes);
}

TEST(ACollective, IsByDefaultABroadcastOf64BytesFromNodeZero) {
    const Collective collective;
    EXPECT_EQ(collective.root, 0U);
    EXPECT_EQ(collective.packet_bytes, 64U);
    EXPECT_EQ(collective.operation, Operation::broadcast);
}

TEST(AReduction, SendsItsResultAsAPacketBehindTheContributions) {
    EXPECT_EQ(result_packet(nodes), PacketBlock{5});
    EXPECT_TRUE(Operation::scan.folds());
    EXPECT_FALSE(Operation::allgather.folds());
}

}  // namespace
}  // namespace kport
