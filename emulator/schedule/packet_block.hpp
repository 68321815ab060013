/// @file packet_block.hpp   Packets as arithmetic: progressions, blocks, and lists of blocks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "emulator/base/types.hpp"

namespace KPORT_PUBLIC kport {

/// The numbers first, first + stride, ..., `count` of them.
struct Progression {
    std::uint32_t first = 0;
    std::uint32_t stride = 1;
    std::uint32_t count = 1;

    [[nodiscard]] std::uint32_t last() const { return first + (count - 1) * stride; }
    [[nodiscard]] std::uint32_t operator[](std::uint32_t i) const { return first + i * stride; }
    [[nodiscard]] bool has(std::uint32_t x) const {
        return x >= first && x <= last() && (stride <= 1 || (x - first) % stride == 0);
    }
    /// Returns the index of x among the members; nothing if it is none.
    [[nodiscard]] std::optional<std::uint32_t> place(std::uint32_t x) const;

    bool operator==(const Progression&) const = default;
};

namespace detail {
[[nodiscard]] std::optional<Progression> common_strided(const Progression& a, const Progression& b);
}

/// Returns the intersection of two progressions, which is a progression or empty (Chinese remainder theorem). O(log
/// stride).
[[nodiscard]] inline std::optional<Progression> common(const Progression& a, const Progression& b) {
    const std::uint32_t low = a.first > b.first ? a.first : b.first;
    const std::uint32_t high = a.last() < b.last() ? a.last() : b.last();
    if (low > high) return std::nullopt;
    // Most sets are ranges, which need no division.
    if (a.stride == 1 && b.stride == 1) return Progression{low, 1, high - low + 1};
    // No division either if they differ modulo a power of two that divides both strides, as on hypercubes.
    const std::uint32_t strides = a.stride | b.stride;
    if (((a.first ^ b.first) & ((strides & (~strides + 1)) - 1)) != 0) return std::nullopt;
    return detail::common_strided(a, b);
}

/// A short list, without heap memory in most cases.
using Progressions = boost::container::small_vector<Progression, 3>;

/// Returns a progression without a part of it: its ends, and between them the gaps or the residue classes, whichever
/// are fewer; if the part is a residue class, the other classes.
[[nodiscard]] Progressions without(const Progression& whole, const Progression& part);

/// Removes the part from a range if it is one end of it. Returns false, and changes nothing, if not. Most sets shrink
/// this way.
[[nodiscard]] inline bool take_end_off(Progression& range, const Progression& part) {
    if (range.stride != 1 || part.stride != 1 || part.count >= range.count) return false;
    const bool begins = part.first == range.first;
    if (!begins && part.last() != range.last()) return false;
    if (begins) range.first += part.count;
    range.count -= part.count;
    return true;
}

/// The packets (row, column) for each row and each column of two progressions.
///
/// Its number (PacketId) is row * N + column. With M packets (Collective::packets_each):
///
/// * broadcast: packet j < M of the source is row 0, column j;
/// * scatter, gather, allgather: packet j of node v is row j, column v, so that all packets of the nodes of a
/// progression
///   are one block; as a contribution of a reduction, j is the segment; in a reduce-scatter, j of block b is segment b
///   * M + j;
/// * alltoall: packet j from u to v is row u * M + j, column v.
struct PacketBlock {
    std::uint32_t first = 0;  ///< columns
    std::uint32_t stride = 1;
    std::uint32_t count = 1;
    std::uint32_t row = 0;  ///< rows
    std::uint32_t row_stride = 1;
    std::uint32_t rows = 1;

    [[nodiscard]] Progression columns() const { return {first, stride, count}; }
    [[nodiscard]] Progression all_rows() const { return {row, row_stride, rows}; }
    [[nodiscard]] std::uint64_t size() const { return std::uint64_t{count} * rows; }
    [[nodiscard]] bool is_one() const { return count == 1 && rows == 1; }
    /// Whether it is the columns first .. first + count - 1 of one row, the most common form.
    [[nodiscard]] bool is_range() const { return stride == 1 && rows == 1; }
    /// Returns the number of the packet in the j-th row and the i-th column, on a machine of N nodes.
    [[nodiscard]] PacketId number(std::uint32_t j, std::uint32_t i, NodeId nodes) const {
        return all_rows()[j] * nodes + columns()[i];
    }
    /// Returns the lowest packet's number on a machine of N nodes.
    [[nodiscard]] PacketId lowest(NodeId nodes) const { return row * nodes + first; }

    bool operator==(const PacketBlock&) const = default;
};

/// A short list, without heap memory in most cases.
using PacketBlocks = boost::container::small_vector<PacketBlock, 4>;

[[nodiscard]] inline std::span<const PacketBlock> span_of(const PacketBlocks& blocks) {
    return {blocks.data(), blocks.size()};
}

[[nodiscard]] inline PacketBlock block_of(const Progression& rows, const Progression& columns) {
    return {columns.first, columns.stride, columns.count, rows.first, rows.stride, rows.count};
}

/// At most two blocks, stored in place.
struct FewBlocks {
    std::array<PacketBlock, 2> places{};
    std::uint32_t count = 1;

    [[nodiscard]] std::span<const PacketBlock> blocks() const { return {places.data(), count}; }
};

/// Returns columns of a row that may wrap around: behind the last one come the columns 0 to around - 1.
[[nodiscard]] inline FewBlocks going_around(std::uint32_t row, const Progression& columns, std::uint32_t around) {
    if (around == 0) [[likely]]
        return {{block_of({row}, columns)}};
    return {{block_of({row}, columns), {0, 1, around, row}}, 2};
}

/// Returns all M packets of each of some nodes (PacketBlock).
[[nodiscard]] inline PacketBlock packets_of(const Progression& nodes, std::uint64_t m) {
    return block_of({0, 1, static_cast<std::uint32_t>(m)}, nodes);
}

[[nodiscard]] inline std::optional<PacketBlock> common(const PacketBlock& a, const PacketBlock& b) {
    // Most pairs are far apart: comparisons first.
    if (a.row > b.all_rows().last() || b.row > a.all_rows().last()) return std::nullopt;
    const auto rows = common(a.all_rows(), b.all_rows());
    if (!rows) return std::nullopt;
    const auto columns = common(a.columns(), b.columns());
    if (!columns) return std::nullopt;
    return block_of(*rows, *columns);
}

namespace detail {
// For any blocks; the inline functions handle ranges, the common case.
[[nodiscard]] std::uint64_t common_size_strided(const PacketBlock& a, const PacketBlock& b);
}  // namespace detail

/// Whether all members of b are in a.
[[nodiscard]] inline bool covers(const Progression& a, const Progression& b) {
    if (!a.has(b.first)) return false;
    return b.count == 1 || (b.last() <= a.last() && (a.stride <= 1 || b.stride % a.stride == 0));
}
/// Whether all packets of b are in a.
[[nodiscard]] inline bool covers(const PacketBlock& a, const PacketBlock& b) {
    if (a.is_range() && b.is_range()) [[likely]]
        return a.row == b.row && a.first <= b.first && b.first + b.count <= a.first + a.count;
    return covers(a.columns(), b.columns()) && covers(a.all_rows(), b.all_rows());
}
/// Returns the difference of a block and a part of it (part = common(whole, ...)), as disjoint blocks.
[[nodiscard]] PacketBlocks without(const PacketBlock& whole, const PacketBlock& part);
/// Whether they are ranges of which one begins where the other ends.
[[nodiscard]] inline bool neighbours(const Progression& a, const Progression& b) {
    return a.stride == 1 && b.stride == 1 &&
           (std::uint64_t{a.first} + a.count == b.first || std::uint64_t{b.first} + b.count == a.first);
}
[[nodiscard]] inline bool neighbours(const PacketBlock& a, const PacketBlock& b) {
    return a.is_range() && b.is_range() && a.row == b.row && neighbours(a.columns(), b.columns());
}

/// Returns the union of two neighbours as a range.
[[nodiscard]] inline Progression joined_neighbours(const Progression& a, const Progression& b) {
    return {a.first < b.first ? a.first : b.first, 1, a.count + b.count};
}
[[nodiscard]] inline PacketBlock joined_neighbours(const PacketBlock& a, const PacketBlock& b) {
    return {a.first < b.first ? a.first : b.first, 1, a.count + b.count, a.row};
}

namespace detail {
[[nodiscard]] std::optional<PacketBlock> joined_blocks(const PacketBlock& a, const PacketBlock& b);
}

/// Returns the block of exactly the packets of two disjoint ones; nothing if there is no such block.
[[nodiscard]] inline std::optional<PacketBlock> joined(const PacketBlock& a, const PacketBlock& b) {
    if (neighbours(a, b)) return joined_neighbours(a, b);
    // Two separate ranges can only form a progression if both are single packets.
    if (a.is_range() && b.is_range() && a.row == b.row && (a.count > 1 || b.count > 1)) return std::nullopt;
    return detail::joined_blocks(a, b);
}

/// Returns the number of the lowest packet of some blocks, on a machine of N nodes; 0 if there are no blocks.
[[nodiscard]] PacketId lowest_of(std::span<const PacketBlock> blocks, NodeId nodes);
/// Returns the packets as disjoint blocks, each packet once.
[[nodiscard]] PacketBlocks distinct(std::span<const PacketBlock> blocks);
/// Returns the intersection of two lists of disjoint blocks.
[[nodiscard]] PacketBlocks in_both(std::span<const PacketBlock> a, std::span<const PacketBlock> b);
/// Returns a packet that occurs twice in some blocks, as a block; nothing if they are disjoint. Blocks need not be in
/// order. O(b log b) for b ranges of one row each, and for most others.
[[nodiscard]] std::optional<PacketBlock> common_to_two(std::span<const PacketBlock> blocks);

/// Returns the difference of two lists of disjoint blocks.
[[nodiscard]] PacketBlocks without(std::span<const PacketBlock> whole, std::span<const PacketBlock> gone);

/// Returns the columns of some blocks of one row as maximal ranges, ascending. O(ranges log ranges); a progression with
/// gaps counts as one range for each member.
[[nodiscard]] std::vector<Progression> runs_of(std::span<const PacketBlock> blocks);

[[nodiscard]] inline std::uint64_t size_of(std::span<const PacketBlock> blocks) {
    std::uint64_t size = 0;
    for (const PacketBlock& block : blocks) size += block.size();
    return size;
}
namespace detail {
/// Whether two lists are worth comparing as bits: converting a block costs more than comparing six pairs.
[[nodiscard]] inline bool are_many(std::span<const PacketBlock> a, std::span<const PacketBlock> b) {
    return a.size() * b.size() > 6 * (a.size() + b.size());
}
[[nodiscard]] std::uint64_t common_size_of_many(std::span<const PacketBlock> a, std::span<const PacketBlock> b);

[[nodiscard]] inline std::uint64_t common_size_by_pairs(std::span<const PacketBlock> a,
                                                        std::span<const PacketBlock> b) {
    std::uint64_t size = 0;
    for (const PacketBlock& x : a)
        for (const PacketBlock& y : b) {
            if (x.is_range() && y.is_range()) {
                const std::uint32_t low = x.first > y.first ? x.first : y.first;
                const std::uint32_t high =
                    x.first + x.count < y.first + y.count ? x.first + x.count : y.first + y.count;
                size += x.row == y.row && low < high ? high - low : 0;
            } else {
                size += common_size_strided(x, y);
            }
        }
    return size;
}
}  // namespace detail

/// Returns how many packets two lists of disjoint blocks have in common.
[[nodiscard]] inline std::uint64_t common_size(std::span<const PacketBlock> a, std::span<const PacketBlock> b) {
    if (detail::are_many(a, b)) [[unlikely]]
        return detail::common_size_of_many(a, b);
    return detail::common_size_by_pairs(a, b);
}

}  // namespace kport
