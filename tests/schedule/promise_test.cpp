/// @file promise_test.cpp   The promise of each operation, written out for five nodes.
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "emulator/schedule/promise.hpp"

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

Packets owned_by(NodeId v, Operation operation) { return written_out(owned({root, 8, operation}, v, nodes)); }
Packets wanted_by(NodeId v, Operation operation) { return written_out(wanted({root, 8, operation}, v, nodes)); }
std::uint64_t packets_of(Operation operation) { return packet_count({root, 8, operation}, nodes); }

const Packets all_five{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}};

TEST(APromise, OfABroadcastIsTheSourcesPacketForEveryNode) {
    for (std::uint32_t v = 0; v < nodes; ++v) {
        EXPECT_EQ(owned_by(v, Operation::broadcast), v == root ? (Packets{{0, 0}}) : Packets{});
        EXPECT_EQ(wanted_by(v, Operation::broadcast), (Packets{{0, 0}}));
    }
    EXPECT_EQ(packets_of(Operation::broadcast), 1U);
}

TEST(APromise, OfAScatterIsAPacketOfTheSourceForEach) {
    for (std::uint32_t v = 0; v < nodes; ++v) {
        EXPECT_EQ(owned_by(v, Operation::scatter), v == root ? all_five : Packets{});
        EXPECT_EQ(wanted_by(v, Operation::scatter), (Packets{{0, v}}));
    }
    EXPECT_EQ(packets_of(Operation::scatter), nodes);
}

TEST(APromise, OfGatherAndReduceIsEveryPacketAtTheRoot) {
    for (const Operation operation : {Operation::gather, Operation::reduce}) {
        for (std::uint32_t v = 0; v < nodes; ++v) {
            EXPECT_EQ(owned_by(v, operation), (Packets{{0, v}}));
            EXPECT_EQ(wanted_by(v, operation), v == root ? all_five : Packets{});
        }
        EXPECT_EQ(packets_of(operation), nodes);
    }
}

TEST(APromise, OfAllgatherAndAllreduceIsEveryPacketForEveryNode) {
    for (const Operation operation : {Operation::allgather, Operation::allreduce}) {
        for (std::uint32_t v = 0; v < nodes; ++v) {
            EXPECT_EQ(owned_by(v, operation), (Packets{{0, v}}));
            EXPECT_EQ(wanted_by(v, operation), all_five);
        }
        EXPECT_EQ(packets_of(operation), nodes);
    }
}

TEST(APromise, OfAScanIsThePacketsUpToTheNodesOwn) {
    Packets prefix;
    for (std::uint32_t v = 0; v < nodes; ++v) {
        prefix.emplace(0, v);
        EXPECT_EQ(owned_by(v, Operation::scan), (Packets{{0, v}}));
        EXPECT_EQ(wanted_by(v, Operation::scan), prefix);
    }
    EXPECT_EQ(packets_of(Operation::scan), nodes);
}

TEST(APromise, OfAnAlltoallIsARowAtTheStartAndAColumnAtTheEnd) {
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

TEST(APromise, IsByDefaultABroadcastOfNoBytesFromNodeZero) {
    const Promise promise;
    EXPECT_EQ(promise.source, 0U);
    EXPECT_EQ(promise.packet_bytes, 0U);
    EXPECT_EQ(promise.operation, Operation::broadcast);
}

TEST(AReduction, SendsItsResultAsAPacketBehindTheContributions) {
    EXPECT_EQ(result_packet(nodes), PacketBlock{5});
    EXPECT_TRUE(is_reduction(Operation::scan));
    EXPECT_FALSE(is_reduction(Operation::allgather));
}

}  // namespace
}  // namespace kport
