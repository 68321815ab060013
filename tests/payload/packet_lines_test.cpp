/// @file packet_lines_test.cpp   The bytes of many packets at once are those of each, in every way to make and to compare them.
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/payload/packet_bytes.hpp"

namespace kport {
namespace {

struct AnyLine {
    PacketLine packets{*rc::gen::arbitrary<std::uint32_t>(), *rc::gen::inRange<std::uint64_t>(1, 5000),
                       *rc::gen::inRange<std::uint64_t>(1, 40)};
    std::uint64_t packet_bytes;
    std::uint64_t seed = *rc::gen::arbitrary<std::uint64_t>();
    std::vector<std::byte> bytes;  ///< made packet by packet

    explicit AnyLine(std::uint64_t bytes_of_one)
        : packet_bytes(bytes_of_one), bytes(packets.count * packet_bytes, std::byte{0xEE}) {
        for (std::uint64_t i = 0; i < packets.count; ++i)
            PacketBytes(seed).fill({bytes.data() + i * packet_bytes, packet_bytes}, packets.first + i * packets.step);
    }
};

AnyLine any_line_of_words() { return AnyLine(8 * *rc::gen::inRange<std::uint64_t>(1, 20)); }

void spoil_a_bit(AnyLine& line) {
    line.bytes[*rc::gen::inRange<std::size_t>(0, line.bytes.size())] ^= std::byte{1} << *rc::gen::inRange(0, 8);
}

RC_GTEST_PROP(PacketLines, AreTheBytesOfEachPacketInEveryWay, ()) {
    const AnyLine line = any_line_of_words();
    for (const PacketLines& way : PacketLines::ways()) {
        std::vector<std::byte> made(line.bytes.size());
        way.fill(made.data(), line.packet_bytes / 8, line.seed, line.packets);
        RC_ASSERT(made == line.bytes);
    }
}

RC_GTEST_PROP(PacketLines, AreComparedInEveryWayToTheLastBit, ()) {
    AnyLine line = any_line_of_words();
    const auto are_right = [&](const PacketLines& way) {
        return way.are_right(line.bytes.data(), line.packet_bytes / 8, line.seed, line.packets);
    };
    for (const PacketLines& way : PacketLines::ways()) RC_ASSERT(are_right(way));
    spoil_a_bit(line);
    for (const PacketLines& way : PacketLines::ways()) RC_ASSERT(!are_right(way));
}

RC_GTEST_PROP(PacketBytes, OfManyPacketsAreThoseOfEachWhateverTheirSize, ()) {
    AnyLine line(*rc::gen::inRange<std::uint64_t>(0, 40));
    const PacketBytes packets(line.seed);
    std::vector<std::byte> made(line.bytes.size());
    packets.fill_all(made.data(), line.packet_bytes, line.packets);
    RC_ASSERT(made == line.bytes);
    RC_ASSERT(packets.are_right(line.bytes.data(), line.packet_bytes, line.packets));
    if (line.bytes.empty()) return;
    spoil_a_bit(line);
    RC_ASSERT(!packets.are_right(line.bytes.data(), line.packet_bytes, line.packets));
}

}  // namespace
}  // namespace kport
