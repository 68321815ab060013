/// @file packet_places_test.cpp   Places ordered by packet within groups of neighbours hold and report the same as
///                                places ordered by node.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "emulator/base/random.hpp"
#include "emulator/payload/packet_places.hpp"

namespace kport {
namespace {

constexpr std::uint64_t seed_of_bytes = 5;
constexpr auto for_each_index = [](std::size_t count, const auto& body) {
    for (std::size_t i = 0; i < count; ++i) body(i);
};

std::vector<std::byte> right_bytes(PacketId packet, std::uint64_t size) {
    std::vector<std::byte> bytes(size);
    PacketBytes(seed_of_bytes).fill(bytes, packet);
    return bytes;
}

PacketPlaces places(NodeId nodes, std::uint64_t packets, std::uint64_t packet_bytes, bool in_groups) {
    PacketPlaces made(nodes, packets, packet_bytes, PacketBytes(seed_of_bytes));
    if (in_groups) made.stand_in_groups();
    return made;
}

void put_all(PacketPlaces& into, NodeId v, std::uint64_t packets, std::uint64_t packet_bytes) {
    std::vector<std::byte> all;
    for (PacketId packet = 0; packet < packets; ++packet) {
        const std::vector<std::byte> one = right_bytes(packet, packet_bytes);
        all.insert(all.end(), one.begin(), one.end());
    }
    const PacketBlock block{0, 1, static_cast<std::uint32_t>(packets)};
    into.put(v, {&block, 1}, all.data());
}

void expect_the_same(const PacketPlaces& a, const PacketPlaces& b, NodeId nodes, std::uint64_t packets,
                     std::uint64_t packet_bytes) {
    const PacketBlock all{0, 1, static_cast<std::uint32_t>(packets)};
    for (NodeId v = 0; v < nodes; ++v) {
        std::vector<std::byte> of_a(packets * packet_bytes);
        std::vector<std::byte> of_b = of_a;
        EXPECT_EQ(a.copy(v, {&all, 1}, of_a.data()), b.copy(v, {&all, 1}, of_b.data()));
        EXPECT_EQ(of_a, of_b);
        const PacketPlaces::Check told_a = a.check(v, {&all, 1});
        const PacketPlaces::Check told_b = b.check(v, {&all, 1});
        ASSERT_EQ(told_a.first.has_value(), told_b.first.has_value()) << "node " << v;
        EXPECT_EQ(told_a.wrong, told_b.wrong);
        EXPECT_EQ(told_a.missing.size(), told_b.missing.size());
        if (!told_a.first) continue;
        EXPECT_EQ(told_a.first->packet, told_b.first->packet);
        EXPECT_EQ(told_a.first->byte, told_b.first->byte);
    }
}

TEST(PlacesInGroups, HoldAndReportWhatThoseOfNodesDo) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        std::uint64_t drawn = 0;
        const auto below = [&](std::uint64_t end) { return random_word(seed, 1, drawn++) % end; };
        const NodeId nodes = std::vector<NodeId>{1, 2, 7, 8, 12, 64}[below(6)];
        const std::uint64_t packets = std::vector<std::uint64_t>{1, 5, 64, 70}[below(4)];
        const std::uint64_t size = std::vector<std::uint64_t>{1, 8, 20, 64}[below(4)];
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << nodes << " nodes");
        PacketPlaces in_groups = places(nodes, packets, size, true);
        PacketPlaces of_nodes = places(nodes, packets, size, false);
        const auto both = [&](const auto& act) {
            act(in_groups);
            act(of_nodes);
        };
        both([&](PacketPlaces& some) { put_all(some, 0, packets, size); });
        for (std::uint64_t i = 0; i < 2 * nodes * packets; ++i) {
            const NodeId from = below(nodes);
            const NodeId to = below(nodes);
            const auto packet = static_cast<std::uint32_t>(below(packets));
            if (of_nodes.has(from, packet)) both([&](PacketPlaces& some) { some.move(from, to, packet); });
            if (below(20) != 0) continue;
            std::vector<std::byte> bytes = right_bytes(packet, size);
            if (seed % 2 == 0) bytes[below(size)] ^= std::byte{4};
            const PacketBlock one{packet};
            both([&](PacketPlaces& some) { some.put(to, {&one, 1}, bytes.data()); });
        }
        expect_the_same(in_groups, of_nodes, nodes, packets, size);
        both([](PacketPlaces& some) { some.compare_groups(for_each_index); });
        expect_the_same(in_groups, of_nodes, nodes, packets, size);
    }
}

TEST(PlacesInGroups, FindTheOneByteThatIsWrong) {
    constexpr NodeId nodes = 8;
    constexpr std::uint64_t packets = 3;
    constexpr std::uint64_t size = 8;
    for (NodeId wrong_at = 0; wrong_at < nodes; ++wrong_at)
        for (std::uint32_t wrong = 0; wrong < packets; ++wrong)
            for (std::uint64_t byte = 0; byte < size; ++byte) {
                PacketPlaces some = places(nodes, packets, size, true);
                std::vector<std::byte> bytes = right_bytes(wrong, size);
                bytes[byte] ^= std::byte{1};
                const PacketBlock one{wrong};
                some.put(wrong_at, {&one, 1}, bytes.data());
                for (NodeId v = 0; v < nodes; ++v)
                    for (std::uint32_t packet = 0; packet < packets; ++packet) {
                        const PacketBlock right{packet};
                        if (!some.has(v, packet)) some.put(v, {&right, 1}, right_bytes(packet, size).data());
                    }
                some.compare_groups(for_each_index);
                for (NodeId v = 0; v < nodes; ++v) {
                    const auto found = some.check(v, {}).first;
                    ASSERT_EQ(found.has_value(), v == wrong_at);
                    if (!found) continue;
                    EXPECT_EQ(found->packet, wrong);
                    EXPECT_EQ(found->byte, byte);
                }
            }
}

TEST(PlacesInGroups, FindWhatIsWrongAtAllNodesAndWhatOneHasLost) {
    constexpr NodeId nodes = 4;
    constexpr std::uint64_t size = 8;
    const PacketBlock both{0, 1, 2};
    PacketPlaces some = places(nodes, 2, size, true);
    std::vector<std::byte> bytes = right_bytes(1, size);
    bytes.back() ^= std::byte{1};
    const PacketBlock one{1};
    for (NodeId v = 0; v < nodes; ++v) {
        some.put(v, {&one, 1}, bytes.data());
        const PacketBlock other{0};
        some.put(v, {&other, 1}, right_bytes(0, size).data());
    }
    some.compare_groups(for_each_index);
    for (NodeId v = 0; v < nodes; ++v) EXPECT_EQ(some.check(v, {&both, 1}).wrong, 1U);

    PacketPlaces right = places(nodes, 2, size, true);
    for (NodeId v = 0; v < nodes; ++v) put_all(right, v, 2, size);
    right.clear(2);
    right.compare_groups(for_each_index);
    for (NodeId v = 0; v < nodes; ++v) EXPECT_EQ(right.check(v, {&both, 1}).missing.size(), v == 2 ? 2U : 0U);
}

TEST(Places, MoveManyAsTheyMoveOne) {
    constexpr NodeId nodes = 16;
    constexpr std::uint32_t packets = 5;
    for (const std::uint64_t size : {1U, 8U, 20U, 64U})
        for (const bool in_groups : {false, true}) {
            PacketTable notes(nodes, packets);
            PacketPlaces one = places(nodes, packets, size, in_groups);
            PacketPlaces many = places(nodes, packets, size, in_groups);
            for (PacketPlaces* some : {&one, &many}) {
                some->leave_notes_to(notes);
                put_all(*some, 3, packets, size);
            }
            const auto move_all = [&](const auto& move) {
                for (NodeId v = 0; v < nodes; ++v)
                    for (std::uint32_t packet = 0; packet < packets; ++packet)
                        if (v != 3 && (v + packet) % 3 != 0) {
                            notes.add(v, packet);
                            move(NodeId{3}, v, packet);
                        }
            };
            move_all([&](NodeId from, NodeId to, std::uint32_t packet) { one.move(from, to, packet); });
            many.move_each(move_all);
            for (NodeId v = 0; v < nodes; ++v)
                for (std::uint32_t packet = 0; packet < packets; ++packet) {
                    const auto bytes = many.bytes(v, packet);
                    EXPECT_TRUE(std::ranges::equal(bytes, one.bytes(v, packet)));
                    if (v != 3 && notes.has(v, packet)) {
                        EXPECT_TRUE(std::ranges::equal(bytes, right_bytes(packet, size)));
                    }
                }
        }
}

TEST(PlacesInGroups, StandBesideThoseOfNeighbours) {
    constexpr std::ptrdiff_t size = 8;
    const PacketPlaces some = places(16, 4, size, true);
    for (NodeId v = 1; v < 16; ++v)
        for (std::uint32_t packet = 0; packet < 4; ++packet)
            EXPECT_EQ(some.bytes(v, packet).data() - some.bytes(v - 1, packet).data(), size);
}

}  // namespace
}  // namespace kport
