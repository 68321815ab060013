#include "emulator/payload/copied_blocks.hpp"

#include <cstring>

#include "emulator/schedule/packet_walk.hpp"

namespace kport {

namespace {

/// Copies `count` packets of `bytes` bytes that are `of_step` apart to places that are `into_step` apart.
template <std::uint64_t bytes>
void copy_line(std::byte* into, std::uint64_t into_step, const std::byte* of, std::uint64_t of_step,
               std::uint64_t count) {
    if (into_step == 1 && of_step == 2) {  // every other one, as on hypercubes: the compiler vectorises it
        for (std::uint64_t i = 0; i < count; ++i) std::memcpy(into + i * bytes, of + 2 * i * bytes, bytes);
        return;
    }
    for (std::uint64_t i = 0; i < count; ++i)
        std::memcpy(into + i * into_step * bytes, of + i * of_step * bytes, bytes);
}

void copy_line(std::byte* into, std::uint64_t into_step, const std::byte* of, std::uint64_t of_step,
               std::uint64_t count, std::uint64_t packet_bytes) {
    if (into_step == 1 && of_step == 1)
        std::memcpy(into, of, count * packet_bytes);
    else if (packet_bytes == 8)
        copy_line<8>(into, into_step, of, of_step, count);
    else if (packet_bytes == 64)
        copy_line<64>(into, into_step, of, of_step, count);
    else
        for (std::uint64_t i = 0; i < count; ++i)
            std::memcpy(into + i * into_step * packet_bytes, of + i * of_step * packet_bytes, packet_bytes);
}

/// Copies packets from their places in one block to their places in another.
void copy_part(std::byte* to, const std::byte* from, const PacketWalk& out, const PacketWalk& in,
               const PacketBlock& part, std::uint64_t packet_bytes) {
    std::byte* into = to + out.begin * packet_bytes;
    const std::byte* of = from + in.begin * packet_bytes;
    if (part.count == 1) {
        copy_line(into, out.row_step, of, in.row_step, part.rows, packet_bytes);
    } else if (out.row_step == part.count * out.column_step && in.row_step == part.count * in.column_step) {
        copy_line(into, out.column_step, of, in.column_step, part.size(),
                  packet_bytes);  // all rows have the same layout
    } else {
        for (std::uint32_t row = 0; row < part.rows; ++row)
            copy_line(into + row * out.row_step * packet_bytes, out.column_step, of + row * in.row_step * packet_bytes,
                      in.column_step, part.count, packet_bytes);
    }
}

/// Copies the intersection of two blocks. Returns the number of packets.
std::uint64_t copy_block(const PacketBlock& wanted, std::byte* to, const PacketBlock& held, const std::byte* from,
                         std::uint64_t bytes) {
    const bool ranges = wanted.is_range() && held.is_range();
    if (ranges && covers(held, wanted)) [[likely]] {  // most sets are ranges, forwarded whole
        std::memcpy(to, from + (wanted.first - held.first) * bytes, wanted.count * bytes);
        return wanted.count;
    }
    const auto part = common(wanted, held);
    if (!part) return 0;
    copy_part(to, from, PacketWalk(wanted, *part), PacketWalk(held, *part), *part, bytes);
    return part->size();
}

}  // namespace

std::uint64_t copy_blocks(std::span<const PacketBlock> into_blocks, std::byte* into,
                          std::span<const PacketBlock> from_blocks, const std::byte* from, std::uint64_t bytes) {
    std::uint64_t copied = 0;
    std::uint64_t to_at = 0;
    for (const PacketBlock& wanted : into_blocks) {
        std::uint64_t from_at = 0;
        for (const PacketBlock& held : from_blocks) {
            copied += copy_block(wanted, into + to_at, held, from + from_at, bytes);
            from_at += held.size() * bytes;
        }
        to_at += wanted.size() * bytes;
    }
    return copied;
}

}  // namespace kport
