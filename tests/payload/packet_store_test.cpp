/// @file packet_store_test.cpp   The bytes of many packets against a plain model: what a node holds is a set of numbers,
///                               and the bytes of a packet follow from the seed and its number.
#include <algorithm>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/base/random.hpp"
#include "emulator/payload/packet_store.hpp"

namespace kport {
namespace {

constexpr NodeId node_count = 7;
constexpr std::uint64_t world_seed = 5;

using Pair = std::pair<std::uint32_t, std::uint32_t>;  // (row, column)

std::vector<std::byte> bytes_of(Pair packet, std::uint64_t size) {
    std::vector<std::byte> bytes(size);
    for (std::uint64_t i = 0; i < size; ++i) {
        std::uint64_t word = random_word(world_seed, packet.first * node_count + packet.second, i / 8);
        if (i < 8) word |= 1;  // no packet begins with a zero
        bytes[i] = reinterpret_cast<const std::byte*>(&word)[i % 8];
    }
    return bytes;
}

/// In the order in which a body keeps them.
template <class Blocks>
std::vector<Pair> packets_in(const Blocks& blocks) {
    std::vector<Pair> packets;
    for (const PacketBlock& block : blocks)
        for (std::uint32_t j = 0; j < block.rows; ++j)
            for (std::uint32_t i = 0; i < block.count; ++i)
                packets.emplace_back(block.row + j * block.row_stride, block.first + i * block.stride);
    return packets;
}

/// Rows and columns below `node_count`.
Progression any_progression() {
    const auto first = *rc::gen::inRange<std::uint32_t>(0, node_count);
    const auto stride = *rc::gen::inRange<std::uint32_t>(1, 4);
    const auto left = static_cast<std::uint32_t>(node_count) - 1 - first;
    return {first, stride, *rc::gen::inRange<std::uint32_t>(1, left / stride + 2)};
}
PacketBlock any_block(Operation operation) {
    return block_of(operation == Operation::alltoall ? any_progression() : Progression{}, any_progression());
}
Progression any_part(const Progression& whole) {
    const auto first = *rc::gen::inRange<std::uint32_t>(0, whole.count);
    const auto step = *rc::gen::inRange<std::uint32_t>(1, 4);
    const auto count = *rc::gen::inRange<std::uint32_t>(1, (whole.count - 1 - first) / step + 2);
    return {whole[first], whole.stride * step, count};
}
PacketBlocks any_disjoint_blocks(Operation operation) {
    PacketBlocks blocks;
    for (int left = *rc::gen::inRange(1, 4); left > 0; --left) {
        const PacketBlock block = any_block(operation);
        for (const PacketBlock& rest : without({&block, 1}, span_of(blocks))) blocks.push_back(rest);
    }
    return blocks;
}

/// A broadcast has as many packets as there are nodes.
Collective collective_of(Operation operation, std::uint64_t packet_bytes) {
    Collective collective{operation, 2, packet_bytes};
    if (operation == Operation::broadcast) collective.packets_each = node_count;
    return collective;
}

/// A store and beside it what each node holds, as numbers.
struct Modelled {
    explicit Modelled(Operation operation, std::uint64_t packet_bytes)
        : bytes(packet_bytes), collective(collective_of(operation, packet_bytes)),
          store(collective, node_count, world_seed), held(node_count) {
        for (NodeId v = 0; v < node_count; ++v) {
            store.seed(v, pool);
            for (const Pair& packet : packets_in(collective.owned(v, node_count).blocks())) held[v].insert(packet);
        }
    }
    Modelled(const Modelled&) = delete;
    Modelled& operator=(const Modelled&) = delete;
    ~Modelled() {
        for (NodeId v = 0; v < node_count; ++v) store.clear(v, pool);
    }

    /// What of `blocks` node `from` holds (true) or does not, as blocks of one packet or, at random, rows joined.
    [[nodiscard]] PacketSet chosen(const PacketBlocks& blocks, NodeId from, NodeId to) const {
        PacketSet set;
        for (const Pair& packet : packets_in(blocks))
            if (held[from].count(packet) != 0 && held[to].count(packet) == 0)
                set.add(PacketBlock{packet.second, 1, 1, packet.first});
        return set;
    }

    /// Whether a message has just those packets, with the bytes of those that `v` holds and zeros for the others.
    [[nodiscard]] bool is_copied(const Body& body, std::span<const PacketBlock> blocks, NodeId v) const {
        const std::vector<Pair> packets = packets_in(blocks);
        if (packets_in(body.blocks()) != packets || body.byte_count() != packets.size() * bytes) return false;
        for (std::size_t i = 0; i < packets.size(); ++i) {
            const bool there = held[v].count(packets[i]) != 0;
            const std::vector<std::byte> right = there ? bytes_of(packets[i], bytes) : std::vector<std::byte>(bytes);
            if (std::memcmp(body.bytes() + i * bytes, right.data(), bytes) != 0) return false;
        }
        return true;
    }

    std::uint64_t bytes;
    Collective collective;
    FramePool pool;
    PacketStore store;
    std::vector<std::set<Pair>> held;
};

Operation any_operation() {
    return *rc::gen::element(Operation::broadcast, Operation::scatter, Operation::gather, Operation::allgather,
                             Operation::alltoall, Operation::alltoall);
}
std::uint64_t any_size() { return *rc::gen::element<std::uint64_t>(1, 7, 8, 9, 63, 64, 65, 100, 300); }

RC_GTEST_PROP(APacketStore, MovesWhatANodeHoldsAndKeepsItsBytes, ()) {
    Modelled world(any_operation(), any_size());
    std::vector<std::set<Pair>> ever = world.held;  // also what was passed on, of which the memory may still be there
    std::vector<bool> held_once(node_count, true);
    for (int left = *rc::gen::inRange(0, 40); left > 0; --left) {
        const auto from = *rc::gen::inRange<NodeId>(0, node_count);
        const auto to = *rc::gen::inRange<NodeId>(0, node_count);
        const PacketSet packets = world.chosen(any_disjoint_blocks(world.collective.operation), from, to);
        if (packets.empty()) continue;
        Body* message = world.store.copy_out(from, packets.blocks(), world.pool, held_once[from]);
        RC_ASSERT(world.is_copied(*message, packets.blocks(), from));
        if (*rc::gen::inRange(0, 2) == 0) {
            world.store.give_away(from, packets.blocks(), world.pool);
            for (const Pair& packet : packets_in(packets.blocks())) world.held[from].erase(packet);
        }
        world.store.add(to, message, world.pool);
        for (const Pair& packet : packets_in(packets.blocks())) {
            world.held[to].insert(packet);
            if (!ever[to].insert(packet).second) held_once[to] = false;
        }
        // What both of them still hold is still right, whatever was made anew.
        for (const NodeId v : {from, to}) {
            PacketSet all;
            for (const Pair& packet : world.held[v]) all.add(PacketBlock{packet.second, 1, 1, packet.first});
            if (all.empty()) continue;
            Body* copy = world.store.copy_out(v, all.blocks(), world.pool, held_once[v]);
            RC_ASSERT(world.is_copied(*copy, all.blocks(), v));
            copy->release(world.pool);
        }
    }
    for (NodeId v = 0; v < node_count; ++v) RC_ASSERT(!world.store.check(v, {}).first);
}

RC_GTEST_PROP(APacketStore, CopiesAnyPartOfSeveralRows, ()) {
    Modelled world(Operation::alltoall, any_size());
    const PacketBlock block = any_block(Operation::alltoall);
    Body* came = Body::make({&block, 1}, block.size() * world.bytes, world.pool);
    std::byte* at = came->bytes();
    for (const Pair& packet : packets_in(came->blocks())) {
        std::ranges::copy(bytes_of(packet, world.bytes), at);
        at += world.bytes;
        world.held[3].insert(packet);
    }
    world.store.add(3, came, world.pool);
    for (int repeat = 0; repeat < 10; ++repeat) {
        const PacketBlock part = block_of(any_part(block.all_rows()), any_part(block.columns()));
        Body* message = world.store.copy_out(3, {&part, 1}, world.pool, false);
        RC_ASSERT(world.is_copied(*message, {&part, 1}, 3));
        message->release(world.pool);
    }
    RC_ASSERT(!world.store.check(3, {}).first);
}

RC_GTEST_PROP(APacketStore, SendsZerosForPacketsThatANodeDoesNotHold, ()) {
    Modelled world(any_operation(), any_size());
    FramePool pool;
    for (int repeat = 0; repeat < 5; ++repeat) {
        const auto v = *rc::gen::inRange<NodeId>(0, node_count);
        const PacketBlocks wanted = any_disjoint_blocks(world.collective.operation);
        for (const bool held_once : {true, false}) {
            // Memory that was used before: zeros must be written, not found.
            Body* soiled = Body::make(span_of(wanted), size_of(span_of(wanted)) * world.bytes, pool);
            std::memset(soiled->bytes(), 0xAB, soiled->byte_count());
            soiled->release(pool);
            bool complete = !held_once;
            Body* message = world.store.copy_out(v, span_of(wanted), pool, held_once, held_once ? &complete : nullptr);
            RC_ASSERT(world.is_copied(*message, span_of(wanted), v));
            const std::vector<Pair> packets = packets_in(wanted);
            RC_ASSERT(complete == (!held_once || std::ranges::all_of(packets, [&](const Pair& packet) {
                          return world.held[v].count(packet) != 0;
                      })));
            message->release(pool);
        }
    }
}

RC_GTEST_PROP(APacketStore, SendsWhatItHoldsAlsoWhenSomeOfItCameTwice, ()) {
    // A breach of NODUP that an auditor reports; the bytes must still be those of the packets.
    Modelled world(any_operation(), any_size());
    for (int left = *rc::gen::inRange(1, 6); left > 0; --left) {
        const auto from = *rc::gen::inRange<NodeId>(0, node_count);
        PacketSet packets;
        for (const Pair& packet : packets_in(any_disjoint_blocks(world.collective.operation)))
            if (world.held[from].count(packet) != 0) packets.add(PacketBlock{packet.second, 1, 1, packet.first});
        if (packets.empty()) continue;
        for (int times = 0; times < 2; ++times)
            world.store.add(3, world.store.copy_out(from, packets.blocks(), world.pool, false), world.pool);
        for (const Pair& packet : packets_in(packets.blocks())) world.held[3].insert(packet);
    }
    const PacketBlocks wanted = any_disjoint_blocks(world.collective.operation);
    Body* message = world.store.copy_out(3, span_of(wanted), world.pool, false);
    RC_ASSERT(world.is_copied(*message, span_of(wanted), 3));
    message->release(world.pool);
    RC_ASSERT(!world.store.check(3, {}).first);
}

RC_GTEST_PROP(APacketStore, VerifyFindsTheFlippedByte, ()) {
    Modelled world(any_operation(), any_size());
    const bool of_one = !world.collective.owned(world.collective.root, node_count).empty() &&
                        world.collective.owned(4, node_count).empty();
    const NodeId from = of_one ? world.collective.root : 4;
    const NodeId to = from == 4 ? 5 : 4;
    const PacketSet packets = world.collective.owned(from, node_count);
    Body* message = world.store.copy_out(from, packets.blocks(), world.pool);
    const auto at = *rc::gen::inRange<std::uint64_t>(0, message->byte_count());
    message->bytes()[at] ^= static_cast<std::byte>(*rc::gen::inRange(1, 256));
    world.store.add(to, message, world.pool);
    const auto found = world.store.check(to, {}).first;
    RC_ASSERT(found.has_value());
    const Pair packet = packets_in(packets.blocks())[at / world.bytes];
    RC_ASSERT(found->packet == packet.first * node_count + packet.second);
    RC_ASSERT(found->byte == at % world.bytes);
    RC_ASSERT(!world.store.check(from, {}).first);
    world.store.clear(to, world.pool);
    RC_ASSERT(!world.store.check(to, {}).first);
}

TEST(APacketStore, GivesPlacesToSmallPacketsThatAllNodesGet) {
    EXPECT_TRUE(PacketStore::gives_places(collective_of(Operation::broadcast, 4096)));
    EXPECT_TRUE(PacketStore::gives_places(collective_of(Operation::allgather, 8)));
    EXPECT_FALSE(PacketStore::gives_places(collective_of(Operation::allgather, 300)));
    EXPECT_FALSE(PacketStore::gives_places(collective_of(Operation::alltoall, 8)));
    Collective several = collective_of(Operation::allgather, 8);
    several.packets_each = 2;
    EXPECT_FALSE(PacketStore::gives_places(several)) << "its packets are not those of one row";
}

TEST(APacketStore, KeepsAllPacketsThatLeaveTheirPlaces) {
    Modelled world(Operation::allgather, 8);
    const PacketBlock given{3};
    world.store.add(2, world.store.copy_out(3, {&given, 1}, world.pool), world.pool);
    world.held[2].insert({0, 3});
    EXPECT_TRUE(world.store.has(2, 3));
    world.store.leave_places(world.pool);
    const PacketBlock all{0, 1, node_count};
    for (NodeId v = 0; v < node_count; ++v) {
        Body* message = world.store.copy_out(v, {&all, 1}, world.pool);
        EXPECT_TRUE(world.is_copied(*message, {&all, 1}, v));
        message->release(world.pool);
        EXPECT_FALSE(world.store.check(v, {}).first);
    }
}

TEST(APacketStore, KeepsWhatCameBeforeABodyThatIsCopied) {
    Modelled world(Operation::alltoall, 100);
    const PacketBlock other{0, 1, 7, 3};
    world.store.add(2, world.store.copy_out(3, {&other, 1}, world.pool), world.pool);
    const PacketBlock most{0, 1, 6, 3};
    world.store.give_away(2, {&most, 1}, world.pool);
    for (const PacketBlock& left : {PacketBlock{0, 1, 7, 2}, PacketBlock{6, 1, 1, 3}}) {
        bool complete = false;
        world.store.copy_out(2, {&left, 1}, world.pool, true, &complete)->release(world.pool);
        EXPECT_TRUE(complete);
    }
    EXPECT_FALSE(world.store.check(2, {}).first);
}

TEST(APacketStore, CopiesWhatIsLeftOfLargePacketsLaterThanOfSmallOnes) {
    // More than half of 7 packets are passed on: small ones are made anew, and those are gone; large ones stay where they are.
    for (const std::uint64_t bytes : {512U, 4096U}) {
        Modelled world(Operation::alltoall, bytes);
        const PacketBlock given{0, 1, 4, 2};
        world.store.give_away(2, {&given, 1}, world.pool);
        bool complete = false;
        world.store.copy_out(2, {&given, 1}, world.pool, true, &complete)->release(world.pool);
        EXPECT_EQ(complete, bytes == 4096) << bytes;
        const PacketBlock left{4, 1, 3, 2};
        world.store.copy_out(2, {&left, 1}, world.pool, true, &complete)->release(world.pool);
        EXPECT_TRUE(complete) << bytes;
    }
}

TEST(APacketStore, ForgetsPacketsThatWerePassedOnSoThatTheirMemoryIsUsedAgain) {
    // Half of 7 rows of 100 bytes: worth a new body. What is asked for again is not there any more.
    Modelled world(Operation::alltoall, 100);
    const PacketBlock most{0, 1, 6, 2};
    world.store.give_away(2, {&most, 1}, world.pool);
    for (std::uint32_t column = 0; column < 6; ++column) world.held[2].erase({2, column});
    const PacketBlock all{0, 1, 7, 2};
    Body* message = world.store.copy_out(2, {&all, 1}, world.pool);
    EXPECT_TRUE(world.is_copied(*message, {&all, 1}, 2));
    message->release(world.pool);
}

}  // namespace
}  // namespace kport
