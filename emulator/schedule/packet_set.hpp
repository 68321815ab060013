/// @file packet_set.hpp   Sets of packets, stored as blocks or bits instead of one object a packet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "emulator/schedule/packet_block.hpp"

namespace KPORT_PUBLIC kport {

class PacketBits;

/// A set of packets: disjoint blocks, as few as simple joining finds, or bits (PacketBits) where blocks are many and
/// close. It accepts any blocks; whether they are packets of the operation is checked where the set leaves the program
/// (PacketSpace).
///
///     PacketSet::range(0, 8)                packets 0 to 7: those of nodes 0 to 7 in a scatter, the first 8 in a broadcast
///     PacketSet(PacketBlock{3, 4, 10})      packets 3, 7, 11, ..., 10 of them
///     packets_of(PacketSet::range(a, b), m) all m packets of each of some nodes, where each has several
///     held.include(came)                    union; remove(), keep() and covers() are the other operations
///
/// Errors    std::out_of_range from range(), else only std::bad_alloc. A program that sends packets that the operation
///           does not have ends with std::invalid_argument, which names the packet.
/// Cost      one block: O(1). b blocks: O(b) for each block added or removed at worst; b * c for two sets of b and c
///           blocks.
/// Callers   one task at a time; any number of concurrent readers.
/// Memory    32 bytes for at most one block; for more, 24 bytes each, or a bit for each place in the window.
class PacketSet {
  public:
    PacketSet() = default;
    PacketSet(const PacketBlock& block) : one_(block) {}  // NOLINT: a block is a set
    PacketSet(const PacketSet& other) : one_(other.one_) {
        if (other.many_) copy_many(other);
    }
    PacketSet(PacketSet&& other) noexcept : one_(other.one_), many_(std::move(other.many_)) { other.one_.count = 0; }
    PacketSet& operator=(PacketSet other) noexcept {
        one_ = other.one_;
        many_ = std::move(other.many_);
        return *this;
    }
    ~PacketSet() = default;
    /// Returns the columns first .. last - 1 of row 0; the empty set unless first < last. Throws std::out_of_range for
    /// columns beyond 2^32 - 2.
    [[nodiscard]] static PacketSet range(NodeId first, NodeId last) {
        if (first >= last) return {};
        if (last > std::numeric_limits<std::uint32_t>::max()) [[unlikely]]
            refuse_range(first, last);
        return PacketBlock{static_cast<std::uint32_t>(first), 1, static_cast<std::uint32_t>(last - first)};
    }

    /// Adds packets that are not in the set yet, joining blocks where that is cheap. O(blocks) at worst.
    void add(const PacketBlock& block) {
        if (empty())
            one_ = block;
        else
            add_to_others(block);
    }
    void add(std::span<const PacketBlock> blocks);
    void add(const PacketSet& others) { add(others.blocks()); }
    void add(const PacketBlocks& blocks) { add(span_of(blocks)); }
    /// Adds packets of which some may be in the set already.
    void include(std::span<const PacketBlock> packets);
    void include(const PacketSet& others);
    /// Adds packets as include(), but a long list that is not bits may then contain a packet twice. For sets that are
    /// only intersected with others.
    void note(std::span<const PacketBlock> packets);
    /// Removes the given packets. Returns how many were in the set. O(blocks).
    std::uint64_t remove(std::span<const PacketBlock> packets);
    std::uint64_t remove(const PacketSet& packets);
    /// Removes all packets that the other set lacks.
    void keep(const PacketSet& others);
    void clear() {
        one_.count = 0;
        many_.reset();
    }
    /// Whether it holds all of some disjoint blocks.
    [[nodiscard]] bool covers(std::span<const PacketBlock> packets) const {
        if (is_block() && packets.size() == 1) [[likely]]
            return kport::covers(one_, packets.front());
        return many_ ? many_cover(packets) : common_size(blocks(), packets) == size_of(packets);
    }

    /// Replaces the set by one block.
    void replace(const PacketBlock& block) {
        one_ = block;
        many_.reset();
    }

    [[nodiscard]] bool empty() const { return !many_ && one_.count == 0; }
    [[nodiscard]] bool is_block() const { return !many_ && one_.count != 0; }
    /// The only block. Only if is_block().
    [[nodiscard]] const PacketBlock& block() const { return one_; }
    [[nodiscard]] std::uint64_t size() const { return many_ ? many_size() : one_.size(); }
    /// Valid until the set changes.
    [[nodiscard]] std::span<const PacketBlock> blocks() const {
        return many_ ? many_blocks() : std::span(&one_, one_.count != 0 ? 1 : 0);
    }

    friend PacketId lowest_of(const PacketSet& set, NodeId nodes);
    friend std::uint64_t common_size(std::span<const PacketBlock> packets, const PacketSet& set);
    friend PacketBlocks in_both(std::span<const PacketBlock> packets, const PacketSet& set);
    friend PacketBlocks without(std::span<const PacketBlock> packets, const PacketSet& set);

  private:
    struct Many;
    struct EndOfMany {
        void operator()(Many* many) const;
    };

    void add_to_others(const PacketBlock& block);
    void copy_many(const PacketSet& other);
    /// Adds the packets if the set becomes bits with them. `disjoint`: they have no packet in common with the set.
    bool becomes_bits_with(std::span<const PacketBlock> packets, bool disjoint);
    void become_bits_if_better();
    void become_bits(PacketBits&& bits);
    void become_list();
    [[nodiscard]] PacketBits* bits() const;
    [[nodiscard]] bool many_cover(std::span<const PacketBlock> packets) const;
    [[nodiscard]] std::uint64_t many_size() const;
    [[nodiscard]] std::span<const PacketBlock> many_blocks() const;
    [[noreturn]] static void refuse_range(NodeId first, NodeId last);

    PacketBlock one_{0, 1, 0};               ///< unless there are many; without columns: the empty set
    std::unique_ptr<Many, EndOfMany> many_;  ///< two blocks or more
};

/// Returns all M packets of each of some nodes, the columns of row 0.
[[nodiscard]] PacketSet packets_of(const PacketSet& nodes, std::uint64_t m);
/// Returns all M packets from each of some nodes to each of others (PacketBlock): one block, unless M > 1 and the
/// senders are not consecutive.
[[nodiscard]] PacketSet packets_between(const Progression& from, const Progression& to, std::uint64_t m);
/// Returns the rows, or the columns, of some blocks as columns of row 0.
[[nodiscard]] PacketSet rows_of(std::span<const PacketBlock> blocks);
[[nodiscard]] PacketSet columns_of(std::span<const PacketBlock> blocks);
/// Returns the number of the lowest packet, on a machine of N nodes; 0 if the set is empty.
[[nodiscard]] PacketId lowest_of(const PacketSet& set, NodeId nodes);
/// Return how many of some disjoint blocks are in a set; which of them are; and which are not.
[[nodiscard]] std::uint64_t common_size(std::span<const PacketBlock> packets, const PacketSet& set);
[[nodiscard]] PacketBlocks in_both(std::span<const PacketBlock> packets, const PacketSet& set);
[[nodiscard]] PacketBlocks without(std::span<const PacketBlock> packets, const PacketSet& set);

}  // namespace kport
