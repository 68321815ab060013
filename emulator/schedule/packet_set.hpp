/// @file packet_set.hpp   Sets of packets as arithmetic: never one object a packet.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include <boost/container/small_vector.hpp>

#include "emulator/base/types.hpp"

namespace KPORT_PUBLIC kport {

/// The numbers first, first + stride, ..., count of them.
struct Progression {
    std::uint32_t first = 0;
    std::uint32_t stride = 1;
    std::uint32_t count = 1;

    [[nodiscard]] std::uint32_t last() const { return first + (count - 1) * stride; }
    [[nodiscard]] std::uint32_t operator[](std::uint32_t i) const { return first + i * stride; }
    /// Which member x is; nothing if it is none.
    [[nodiscard]] std::optional<std::uint32_t> place(std::uint32_t x) const;

    bool operator==(const Progression&) const = default;
};

namespace detail {
[[nodiscard]] std::optional<Progression> common_strided(const Progression& a, const Progression& b);
}

/// What two progressions have in common: again a progression, or nothing (Chinese remainder theorem). O(log stride).
[[nodiscard]] inline std::optional<Progression> common(const Progression& a, const Progression& b) {
    const std::uint32_t low = a.first > b.first ? a.first : b.first;
    const std::uint32_t high = a.last() < b.last() ? a.last() : b.last();
    if (low > high) return std::nullopt;
    // Most sets are ranges: no division for them.
    if (a.stride == 1 && b.stride == 1) return Progression{low, 1, high - low + 1};
    return detail::common_strided(a, b);
}

/// A short list, which mostly needs no memory of its own.
using Progressions = boost::container::small_vector<Progression, 3>;

/// The difference of a progression and a part of it: its ends, and between them
/// the gaps or the residue classes, whichever are fewer.
[[nodiscard]] Progressions without(const Progression& whole, const Progression& part);

/// The packets (row, column) for each row and each column of two progressions.
///
/// Where every node has a packet for every node (alltoall) the row is the node it comes from and the column the one it
/// goes to, and its number (PacketId) is row * N + column. Elsewhere the row is 0 and the column is the number: of the node
/// it goes to (scatter) or comes from (gather, allgather, and as a contribution the reductions); 0 in a broadcast.
struct PacketBlock {
    std::uint32_t first = 0;  ///< the columns
    std::uint32_t stride = 1;
    std::uint32_t count = 1;
    std::uint32_t row = 0;  ///< the rows
    std::uint32_t row_stride = 1;
    std::uint32_t rows = 1;

    [[nodiscard]] Progression columns() const { return {first, stride, count}; }
    [[nodiscard]] Progression all_rows() const { return {row, row_stride, rows}; }
    [[nodiscard]] std::uint64_t size() const { return std::uint64_t{count} * rows; }
    /// Whether it is the columns first .. first + count - 1 of one row, as most are.
    [[nodiscard]] bool is_range() const { return stride == 1 && rows == 1; }
    /// The number of the packet in the j-th row and the i-th column, on a machine of N nodes.
    [[nodiscard]] PacketId number(std::uint32_t j, std::uint32_t i, NodeId nodes) const {
        return all_rows()[j] * nodes + columns()[i];
    }
    /// The lowest packet's number on a machine of N nodes.
    [[nodiscard]] PacketId lowest(NodeId nodes) const { return row * nodes + first; }

    bool operator==(const PacketBlock&) const = default;
};

/// A short list, which mostly needs no memory of its own.
using PacketBlocks = boost::container::small_vector<PacketBlock, 4>;

[[nodiscard]] inline std::span<const PacketBlock> span_of(const PacketBlocks& blocks) {
    return {blocks.data(), blocks.size()};
}

[[nodiscard]] inline PacketBlock block_of(const Progression& rows, const Progression& columns) {
    return {columns.first, columns.stride, columns.count, rows.first, rows.stride, rows.count};
}

[[nodiscard]] inline std::optional<PacketBlock> common(const PacketBlock& a, const PacketBlock& b) {
    // Most pairs lie apart: comparisons first.
    if (a.row > b.all_rows().last() || b.row > a.all_rows().last()) return std::nullopt;
    const auto rows = common(a.all_rows(), b.all_rows());
    if (!rows) return std::nullopt;
    const auto columns = common(a.columns(), b.columns());
    if (!columns) return std::nullopt;
    return block_of(*rows, *columns);
}

/// Whether all packets of b are in a.
[[nodiscard]] inline bool covers(const PacketBlock& a, const PacketBlock& b) {
    if (a.is_range() && b.is_range())
        return a.row == b.row && a.first <= b.first && b.first + b.count <= a.first + a.count;
    const auto both = common(a, b);
    return both && both->size() == b.size();
}
/// The difference of a block and a part of it (part = common(whole, ...)), as disjoint blocks.
[[nodiscard]] PacketBlocks without(const PacketBlock& whole, const PacketBlock& part);
/// Whether they are ranges of which one begins where the other ends.
[[nodiscard]] inline bool neighbours(const PacketBlock& a, const PacketBlock& b) {
    const auto end = [](const PacketBlock& block) { return std::uint64_t{block.first} + block.count; };
    return a.is_range() && b.is_range() && a.row == b.row && (end(a) == b.first || end(b) == a.first);
}

/// The range of both; they must be neighbours.
[[nodiscard]] inline PacketBlock joined_neighbours(const PacketBlock& a, const PacketBlock& b) {
    return {a.first < b.first ? a.first : b.first, 1, a.count + b.count, a.row};
}

namespace detail {
[[nodiscard]] std::optional<PacketBlock> joined_blocks(const PacketBlock& a, const PacketBlock& b);
}

/// The block that holds just the packets of two disjoint ones; nothing if there is no such block.
[[nodiscard]] inline std::optional<PacketBlock> joined(const PacketBlock& a, const PacketBlock& b) {
    if (neighbours(a, b)) return joined_neighbours(a, b);
    return detail::joined_blocks(a, b);
}

/// The number of the lowest packet of some blocks, on a machine of N nodes; 0 of none.
[[nodiscard]] PacketId lowest_of(std::span<const PacketBlock> blocks, NodeId nodes);
/// The same packets as disjoint blocks, each packet once.
[[nodiscard]] PacketBlocks distinct(std::span<const PacketBlock> blocks);
/// What two lists of disjoint blocks have in common.
[[nodiscard]] PacketBlocks in_both(std::span<const PacketBlock> a, std::span<const PacketBlock> b);
/// A packet that occurs twice in some blocks, as a block; nothing if they are disjoint. Blocks need not be in order.
/// O(b log b) for b ranges of one row each, and for most others.
[[nodiscard]] std::optional<PacketBlock> common_to_two(std::span<const PacketBlock> blocks);

/// The difference of two lists of disjoint blocks.
[[nodiscard]] PacketBlocks without(std::span<const PacketBlock> whole, std::span<const PacketBlock> gone);

[[nodiscard]] inline std::uint64_t size_of(std::span<const PacketBlock> blocks) {
    std::uint64_t size = 0;
    for (const PacketBlock& block : blocks) size += block.size();
    return size;
}
/// How many packets two lists of disjoint blocks have in common.
[[nodiscard]] inline std::uint64_t common_size(std::span<const PacketBlock> a, std::span<const PacketBlock> b) {
    std::uint64_t size = 0;
    for (const PacketBlock& x : a)
        for (const PacketBlock& y : b) {
            if (x.is_range() && y.is_range()) {
                const std::uint32_t low = x.first > y.first ? x.first : y.first;
                const std::uint32_t high =
                    x.first + x.count < y.first + y.count ? x.first + x.count : y.first + y.count;
                size += x.row == y.row && low < high ? high - low : 0;
            } else if (const auto both = common(x, y)) {
                size += both->size();
            }
        }
    return size;
}

/// A set of packets: disjoint blocks, as few as simple joining finds. It holds what it is given; whether that is a set of
/// packets of the operation is asked where it leaves a program (PacketSpace).
///
/// Callers   one task at a time.
class PacketSet {
  public:
    PacketSet() = default;
    PacketSet(const PacketBlock& block) : blocks_{block} {}  // NOLINT: a block is a set
    /// The columns first .. last - 1 of row 0; the empty set unless first < last. Throws std::out_of_range for columns that
    /// no packet has: they end below 2^32 - 1.
    [[nodiscard]] static PacketSet range(NodeId first, NodeId last) {
        if (first >= last) return {};
        if (last > std::numeric_limits<std::uint32_t>::max()) [[unlikely]]
            refuse_range(first, last);
        return PacketBlock{static_cast<std::uint32_t>(first), 1, static_cast<std::uint32_t>(last - first)};
    }

    /// Adds packets that are not in the set yet, joining blocks where that is easy to see. O(blocks) at worst.
    void add(const PacketBlock& block) {
        if (blocks_.empty())
            blocks_.push_back(block);
        else
            add_to_others(block);
    }
    void add(std::span<const PacketBlock> blocks) {
        for (const PacketBlock& block : blocks) add(block);
    }
    void add(const PacketSet& others) { add(others.blocks()); }
    void add(const PacketBlocks& blocks) { add(span_of(blocks)); }
    /// Removes packets, those of them that are there; returns how many. O(blocks).
    std::uint64_t remove(std::span<const PacketBlock> packets);
    void clear() { blocks_.clear(); }
    /// Whether it holds all of some disjoint blocks. What was added last is looked at first.
    [[nodiscard]] bool covers(std::span<const PacketBlock> packets) const {
        std::uint64_t to_find = size_of(packets);
        for (std::size_t i = blocks_.size(); i-- > 0 && to_find > 0;) to_find -= common_size({&blocks_[i], 1}, packets);
        return to_find == 0;
    }

    /// Becomes one block.
    void replace(const PacketBlock& block) {
        if (is_block())
            blocks_.front() = block;
        else
            blocks_.assign(1, block);
    }

    [[nodiscard]] bool empty() const { return blocks_.empty(); }
    [[nodiscard]] bool is_block() const { return blocks_.size() == 1; }
    /// If is_block().
    [[nodiscard]] const PacketBlock& block() const { return blocks_.front(); }
    [[nodiscard]] std::uint64_t size() const { return size_of(blocks()); }
    [[nodiscard]] std::span<const PacketBlock> blocks() const { return {blocks_.data(), blocks_.size()}; }

  private:
    void add_to_others(const PacketBlock& block);
    [[noreturn]] static void refuse_range(NodeId first, NodeId last);

    boost::container::small_vector<PacketBlock, 1> blocks_;
};

}  // namespace kport
