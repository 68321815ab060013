/// @file collective_test.cpp   What each operation promises, written out for five nodes.
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {
namespace {

constexpr NodeId five = 5;
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
Packets owned_by(NodeId v, Operation operation) { return written_out(of(operation).owned(v, five)); }
Packets wanted_by(NodeId v, Operation operation) { return written_out(of(operation).wanted(v, five)); }
std::uint64_t packets_of(Operation operation) { return of(operation).packets(five); }

const Packets all_five{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}};

TEST(ACollective, OfABroadcastIsTheSourcesPacketForEveryNode) {
    for (std::uint32_t v = 0; v < five; ++v) {
        EXPECT_EQ(owned_by(v, Operation::broadcast), v == root ? (Packets{{0, 0}}) : Packets{});
        EXPECT_EQ(wanted_by(v, Operation::broadcast), (Packets{{0, 0}}));
    }
    EXPECT_EQ(packets_of(Operation::broadcast), 1U);
}

TEST(ACollective, OfAScatterIsAPacketOfTheSourceForEach) {
    for (std::uint32_t v = 0; v < five; ++v) {
        EXPECT_EQ(owned_by(v, Operation::scatter), v == root ? all_five : Packets{});
        EXPECT_EQ(wanted_by(v, Operation::scatter), (Packets{{0, v}}));
    }
    EXPECT_EQ(packets_of(Operation::scatter), five);
}

TEST(ACollective, OfGatherAndReduceIsEveryPacketAtTheRoot) {
    for (const Operation& operation : {Operation::gather, Operation::reduce}) {
        for (std::uint32_t v = 0; v < five; ++v) {
            EXPECT_EQ(owned_by(v, operation), (Packets{{0, v}}));
            EXPECT_EQ(wanted_by(v, operation), v == root ? all_five : Packets{});
        }
        EXPECT_EQ(packets_of(operation), five);
    }
}

TEST(ACollective, OfAllgatherAndAllreduceIsEveryPacketForEveryNode) {
    for (const Operation& operation : {Operation::allgather, Operation::allreduce}) {
        for (std::uint32_t v = 0; v < five; ++v) {
            EXPECT_EQ(owned_by(v, operation), (Packets{{0, v}}));
            EXPECT_EQ(wanted_by(v, operation), all_five);
        }
        EXPECT_EQ(packets_of(operation), five);
    }
}

TEST(ACollective, OfAScanIsThePacketsUpToTheNodesOwn) {
    Packets prefix;
    for (std::uint32_t v = 0; v < five; ++v) {
        prefix.emplace(0, v);
        EXPECT_EQ(owned_by(v, Operation::scan), (Packets{{0, v}}));
        EXPECT_EQ(wanted_by(v, Operation::scan), prefix);
    }
    EXPECT_EQ(packets_of(Operation::scan), five);
}

TEST(ACollective, OfAnExclusiveScanIsThePacketsBeforeTheNodesOwn) {
    Packets before;
    for (std::uint32_t v = 0; v < five; ++v) {
        EXPECT_EQ(owned_by(v, Operation::exscan), (Packets{{0, v}}));
        EXPECT_EQ(wanted_by(v, Operation::exscan), before);
        EXPECT_EQ((Collective{Operation::exscan}.gives_result(v)), v > 0);
        before.emplace(0, v);
    }
    EXPECT_EQ(packets_of(Operation::exscan), five);
}

TEST(ACollective, AmongNeighboursIsWhatTheyHaveForTheNode) {
    const auto torus = make_topology("torus:2x3");  // a side of 2 has one link
    for (const Operation& operation : {Operation::neighbor_allgather, Operation::neighbor_alltoall}) {
        Collective collective{operation, 0, 8};
        EXPECT_THROW(require_valid(collective, *torus), RequestError) << "it is fitted to no graph";
        collective = fitted(collective, *torus);
        EXPECT_NO_THROW(require_valid(collective, *torus));
        EXPECT_THROW(require_valid(collective, *make_topology("line:5")), RequestError);
        collective.packets_each = 2;
        EXPECT_EQ(collective.wanted(0, 6).size(), 2U * 3U);
    }
    Collective collective = fitted({Operation::neighbor_alltoall, 0, 8}, *torus);
    EXPECT_EQ(collective.owned(0, 6).size(), 3U);
    PacketSet of_two = collective.owned(0, 6);
    of_two.keep(collective.wanted(3, 6));
    EXPECT_EQ(of_two.size(), 1U) << "one packet of node 0 is for node 3";
    EXPECT_THROW((void)fitted({Operation::neighbor_allgather, 0, 8}, *make_topology("fat-tree:4")), RequestError);
}

TEST(ACollective, OfAnAlltoallIsARowAtTheStartAndAColumnAtTheEnd) {
    for (std::uint32_t v = 0; v < five; ++v) {
        Packets row;
        Packets column;
        for (std::uint32_t w = 0; w < five; ++w) {
            row.emplace(v, w);
            column.emplace(w, v);
        }
        EXPECT_EQ(owned_by(v, Operation::alltoall), row);
        EXPECT_EQ(wanted_by(v, Operation::alltoall), column);
    }
    EXPECT_EQ(packets_of(Operation::alltoall), five * five);
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
    const Progression every{0, 1, five};
    EXPECT_EQ(only_block(several(Operation::broadcast).owned(root, five)), (PacketBlock{0, 1, m}));
    EXPECT_EQ(only_block(several(Operation::broadcast).wanted(4, five)), (PacketBlock{0, 1, m}));
    EXPECT_FALSE(several(Operation::broadcast).one_packet());
    EXPECT_EQ(several(Operation::broadcast).packets(five), m);
    for (const Operation& operation : {Operation::gather, Operation::reduce, Operation::allgather}) {
        EXPECT_EQ(only_block(several(operation).owned(4, five)), packets_of(Progression{4}, m));
        EXPECT_EQ(only_block(several(operation).wanted(root, five)), packets_of(every, m));
        EXPECT_EQ(several(operation).packets(five), five * m);
    }
    EXPECT_EQ(packets_of(Progression{4}, m).number(2, 0, five), 2 * five + 4);  // packet 2 of node 4
    EXPECT_EQ(only_block(several(Operation::scatter).wanted(4, five)), packets_of(Progression{4}, m));
    EXPECT_EQ(only_block(several(Operation::alltoall).owned(4, five)), packets_between({4}, every, m).block());
    EXPECT_EQ(only_block(several(Operation::alltoall).wanted(4, five)), packets_between(every, {4}, m).block());
    EXPECT_EQ(packets_between({2}, {4}, m).block().number(1, 0, five),
              (2 * m + 1) * five + 4);  // packet 1 from 2 to 4
    EXPECT_EQ(several(Operation::alltoall).packets(five), five * five * m);
}

TEST(ACollective, IsByDefaultABroadcastOf64BytesFromNodeZero) {
    const Collective collective;
    EXPECT_EQ(collective.root, 0U);
    EXPECT_EQ(collective.packet_bytes, 64U);
    EXPECT_EQ(collective.operation, Operation::broadcast);
}

TEST(AReduction, SendsItsResultAsAPacketBehindTheContributions) {
    EXPECT_EQ(result_packet(five), PacketBlock{5});
    EXPECT_TRUE(Operation::scan.folds());
    EXPECT_FALSE(Operation::allgather.folds());
}

}  // namespace
}  // namespace kport
