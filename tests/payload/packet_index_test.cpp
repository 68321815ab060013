/// @file packet_index_test.cpp   The index over a node's bodies against a plain map from packets to bytes.
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/payload/packet_index.hpp"
#include "emulator/payload/packet_store.hpp"

namespace kport {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;  // (row, column)

/// Disjoint blocks, usually ranges, around the borders of words; never none.
PacketBlocks any_packets() {
    PacketBlocks blocks;
    for (int left = *rc::gen::inRange(1, 9); left > 0; --left) {
        const PacketBlock block{*rc::gen::inRange(0U, 140U),
                                *rc::gen::element(1U, 1U, 1U, 3U),
                                *rc::gen::element(1U, 2U, 5U, 70U),
                                *rc::gen::inRange(0U, 2U),
                                1,
                                *rc::gen::element(1U, 1U, 2U)};
        for (const PacketBlock& rest : without({&block, 1}, span_of(blocks))) blocks.push_back(rest);
    }
    return blocks;
}

template <class Visit>
void for_each_packet(const PacketBlocks& blocks, const Visit& visit) {
    for (const PacketBlock& block : blocks)
        for (std::uint32_t j = 0; j < block.rows; ++j)
            for (std::uint32_t i = 0; i < block.count; ++i) visit(Pair{block.all_rows()[j], block.columns()[i]});
}

RC_GTEST_PROP(APacketIndex, FindsEachPacketInTheFirstBodyInWhichItCame, ()) {
    const std::uint64_t bytes = *rc::gen::element<std::uint64_t>(1, 8, 12);
    FramePool pool;
    PacketIndex index(bytes);
    std::map<Pair, unsigned char> held;  // all bytes of a packet are its body's number
    unsigned char number = 0;
    for (int left = *rc::gen::inRange(1, 30); left > 0; --left) {
        const PacketBlocks packets = any_packets();
        const std::uint64_t size = size_of(span_of(packets)) * bytes;
        if (*rc::gen::inRange(0, 2) == 0) {
            Body* body = Body::make(span_of(packets), size, pool);
            std::memset(body->bytes(), ++number, size);
            index.add(body);
            for_each_packet(packets, [&](const Pair& packet) { held.emplace(packet, number); });
        } else if (*rc::gen::inRange(0, 2) == 0) {
            index.give_away(span_of(packets), pool, [](std::uint64_t, std::uint64_t kept) { return kept % 2 == 0; });
            for_each_packet(packets, [&](const Pair& packet) { held.erase(packet); });
        }
        const PacketBlocks wanted = any_packets();
        Body* message = Body::make(span_of(wanted), size_of(span_of(wanted)) * bytes, pool);
        std::memset(message->bytes(), 0, message->byte_count());
        std::uint64_t found = 0;
        std::vector<unsigned char> expected;
        for_each_packet(wanted, [&](const Pair& packet) {
            const auto at = held.find(packet);
            found += at != held.end() ? 1 : 0;
            expected.insert(expected.end(), bytes, at != held.end() ? at->second : 0);
        });
        RC_ASSERT(index.copy_to(*message) == found);
        RC_ASSERT(std::memcmp(message->bytes(), expected.data(), expected.size()) == 0);
        message->release(pool);
    }
    std::vector<Body*> bodies;
    index.for_each_body([&](Body& body) { bodies.push_back(&body); });
    for (Body* body : bodies) body->release(pool);
}

TEST(APacketStore, FindsThePacketsOfAThousandBodiesAndKeepsThemWhenSomeArePassedOn) {
    // Ever more bodies are looked at until there is an index; what was passed on is not there any more.
    constexpr NodeId nodes = 1000;
    constexpr std::uint64_t bytes = 300;  // small ones have places
    FramePool pool;
    PacketStore store(Collective::allgather(bytes), nodes, 1);
    for (NodeId v = 0; v < nodes; ++v) {
        store.seed(v, pool);
        const PacketBlock own{static_cast<std::uint32_t>(v)};
        if (v != 0) store.add(0, store.copy_out(v, {&own, 1}, pool), pool);
    }
    const PacketBlock all{0, 1, nodes};
    bool complete = false;
    for (int times = 0; times < 2; ++times) store.copy_out(0, {&all, 1}, pool, true, &complete)->release(pool);
    EXPECT_TRUE(complete);
    EXPECT_TRUE(store.check(0, {&all, 1}).missing.empty());
    EXPECT_FALSE(store.check(0, {&all, 1}).first);

    const PacketBlock even{0, 2, nodes / 2};
    store.give_away(0, {&even, 1}, pool);
    const PacketBlock odd{1, 2, nodes / 2};
    store.copy_out(0, {&odd, 1}, pool, true, &complete)->release(pool);
    EXPECT_TRUE(complete);
    EXPECT_EQ(store.check(0, {&all, 1}).missing.size(), nodes / 2);
    Body* gone = store.copy_out(0, {&even, 1}, pool, true, &complete);
    EXPECT_FALSE(complete);
    EXPECT_EQ(*gone->bytes(), std::byte{0});
    gone->release(pool);
    for (NodeId v = 0; v < nodes; ++v) store.clear(v, pool);
}

}  // namespace
}  // namespace kport
