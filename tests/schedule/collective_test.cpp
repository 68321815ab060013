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

TEST(ACollective, OfSeveralPacketsEachHasThemInOneBlock) {
    constexpr std::uint64_t m = 3;
    const auto several = [](Operation operation) {
        Collective collective = of(operation);
        collective.packets_each = m;
        return collective;
    };
    const auto only_block = [](const PacketSet& set) {
        EXPECT_TRUE(set.is_block());
        return set.block();
    };
    const Progression every{0, 1, nodes};
    EXPECT_EQ(only_block(several(Operation::broadcast).owned(root, nodes)), (PacketBlock{0, 1, m}));
    EXPECT_EQ(only_block(several(Operation::broadcast).wanted(4, nodes)), (PacketBlock{0, 1, m}));
    EXPECT_FALSE(several(Operation::broadcast).one_packet());
    EXPECT_EQ(several(Operation::broadcast).packets(nodes), m);
    for (const Operation& operation : {Operation::gather, Operation::reduce, Operation::allgather}) {
        EXPECT_EQ(only_block(several(operation).owned(4, nodes)), packets_of(Progression{4}, m));
        EXPECT_EQ(only_block(several(operation).wanted(root, nodes)), packets_of(every, m));
        EXPECT_EQ(several(operation).packets(nodes), nodes * m);
    }
    EXPECT_EQ(packets_of(Progression{4}, m).number(2, 0, nodes), 2 * nodes + 4);  // packet 2 of node 4
    EXPECT_EQ(only_block(several(Operation::scatter).wanted(4, nodes)), packets_of(Progression{4}, m));
    EXPECT_EQ(only_block(several(Operation::alltoall).owned(4, nodes)), packets_between({4}, every, m).block());
    EXPECT_EQ(only_block(several(Operation::alltoall).wanted(4, nodes)), packets_between(every, {4}, m).block());
    EXPECT_EQ(packets_between({2}, {4}, m).block().number(1, 0, nodes),
              (2 * m + 1) * nodes + 4);  // packet 1 from 2 to 4
    EXPECT_EQ(several(Operation::alltoall).packets(nodes), nodes * nodes * m);
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
