/// @file packet_places.hpp   The bytes of packets that all nodes get: a place for each of them at every node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "emulator/base/huge_array.hpp"
#include "emulator/base/node_share.hpp"
#include "emulator/base/types.hpp"
#include "emulator/payload/packet_bytes.hpp"
#include "emulator/schedule/packet_table.hpp"

namespace kport {

/// Packets 0 to M - 1, as columns of row 0, at the nodes that hold them. Received packets are copied to their places,
/// so a packet costs its bytes and a bit, in however many messages packets come.
///
/// Places are ordered by node, so that the packets of a message are copied at once; or, where neighbouring nodes do the
/// same in a round, by packet within groups of neighbours, so that consecutive moves touch nearby memory.
///
/// Callers   the task that owns a node, for that node.
/// Memory    N M packets and as many bits, touched where packets come; no bits after leave_notes_to().
class PacketPlaces {
  public:
    /// `right`: the correct bytes of the packets.
    PacketPlaces(NodeId nodes, std::uint64_t packets, std::uint64_t packet_bytes, const PacketBytes& right,
                 const NodeShare& share = {});

    /// Orders places by packet within groups of neighbours. Call before anything has come.
    void stand_in_groups();
    /// Stores consecutive packets at a node. A packet that the node has already stays, unless the new bytes are wrong:
    /// wrong bytes must be found at the end.
    void put(NodeId v, std::span<const PacketBlock> packets, const std::byte* bytes);
    [[nodiscard]] bool has(NodeId v, std::uint32_t packet) const { return held().has(v, packet); }
    /// From now on the caller tracks possession in `held`, records it before each copy, and copies a packet to a node
    /// at most once. Call before anything has come.
    void leave_notes_to(const PacketTable& held) {
        noted_elsewhere_ = &held;
        held_ = {};
    }
    /// Copies a packet between nodes, unless the receiver has it. Only for correct bytes: wrong ones must not get lost,
    /// see put(). The sender's place, which is read here, does not change.
    void move(NodeId from, NodeId to, std::uint32_t packet) {
        if (noted_elsewhere_ == nullptr) {
            if (held_.has(to, packet)) [[unlikely]]
                return;
            held_.add(to, packet);
        }
        if (packet_bytes_ == 8)  // the most common small packet: one load and one store
            std::memcpy(at(to, packet), at(from, packet), 8);
        else
            std::copy_n(at(from, packet), packet_bytes_, at(to, packet));
    }
    /// Copies many packets after leave_notes_to(), where all nodes have places: for_each(move) calls move(from, to,
    /// packet). Inline: touches little besides the packets.
    template <class ForEach>
    [[gnu::always_inline]] void move_each(const ForEach& for_each) {
        const auto with_size = [&](auto size) {
            for_each([bytes = bytes_.data(), order = order_, size](NodeId from, NodeId to, std::uint32_t packet) {
                std::memcpy(bytes + order.index(to, packet) * size, bytes + order.index(from, packet) * size, size);
            });
        };
        if (packet_bytes_ == 8)
            with_size(std::integral_constant<std::uint64_t, 8>());
        else if (packet_bytes_ == 64)
            with_size(std::integral_constant<std::uint64_t, 64>());
        else
            with_size(packet_bytes_);
    }
    [[nodiscard]] std::span<const std::byte> bytes(NodeId v, std::uint32_t packet) const {
        return {at(v, packet), packet_bytes_};
    }
    /// Prefetches what move() will touch.
    [[gnu::always_inline]] void prefetch(NodeId from, NodeId to, std::uint32_t packet) const {
        if (noted_elsewhere_ == nullptr) held_.prefetch(to, packet);
        __builtin_prefetch(at(from, packet));
        __builtin_prefetch(at(to, packet), 1);
    }
    /// Copies those of some packets that the node holds, each to its index among all. Returns their number.
    std::uint64_t copy(NodeId v, std::span<const PacketBlock> packets, std::byte* into) const;
    [[nodiscard]] PacketSet held(NodeId v) const { return held().set(v); }
    /// Removes packets that the node has passed on.
    void remove(NodeId v, std::span<const PacketBlock> packets);
    /// Removes all packets of the node.
    void clear(NodeId v) {
        if (noted_elsewhere_ == nullptr) held_.clear(v);
    }

    struct Difference {
        PacketId packet;
        std::uint64_t byte;
    };
    struct Check {
        std::optional<Difference> first;  ///< among all packets that the node holds
        PacketSet missing;                ///< of those that it must hold
        std::uint64_t wrong = 0;          ///< how many of those that it must hold differ
    };
    /// Compares the packets at a node, byte for byte, with the correct ones, and with the set that it must hold.
    [[nodiscard]] Check check(NodeId v, std::span<const PacketBlock> must_hold) const;
    /// Compares whole groups of places, so that check() can skip those that are all right. Call after the last packet
    /// has come. for_index(count, body) must call body(i) for 0 <= i < count, in any order or concurrently. O(N M
    /// bytes).
    template <class ForIndex>
    void compare_groups(const ForIndex& for_index) {
        if (order_.group_bits == 0) return;
        right_groups_.assign(share_.places(nodes_) >> order_.group_bits, 0);
        for_index(right_groups_.size(), [&](std::size_t i) { right_groups_[i] = is_right_group(i) ? 1 : 0; });
    }

  private:
    [[nodiscard]] const PacketTable& held() const { return noted_elsewhere_ != nullptr ? *noted_elsewhere_ : held_; }
    /// Calls visit(word of the node, bits, index of the word's first column among all packets; may be negative).
    template <class Visit>
    static void for_each_piece(std::span<const PacketBlock> packets, const Visit& visit);
    /// Calls visit(first, count) for runs of a node's packets whose bytes are contiguous.
    template <class Visit>
    void for_each_stretch(std::uint64_t bits, const Visit& visit) const;
    struct Order {
        std::uint64_t packets;    ///< packets a node
        unsigned group_bits = 0;  ///< of groups of 2^group_bits places

        /// Returns the position of the packet of a node, given the node's index: how many packets are stored before it.
        [[nodiscard, gnu::always_inline]] std::uint64_t index(std::uint64_t place, std::uint64_t packet) const {
            const std::uint64_t in_group = place & ((std::uint64_t{1} << group_bits) - 1);
            return (((place >> group_bits) * packets + packet) << group_bits) + in_group;
        }
    };
    [[nodiscard, gnu::always_inline]] std::byte* at(NodeId v, std::uint64_t packet) {
        return bytes_.data() + order_.index(share_.place(v), packet) * packet_bytes_;
    }
    [[nodiscard, gnu::always_inline]] const std::byte* at(NodeId v, std::uint64_t packet) const {
        return bytes_.data() + order_.index(share_.place(v), packet) * packet_bytes_;
    }
    /// Returns the first byte in which a packet differs from the correct one; nothing if all are equal.
    [[nodiscard]] std::optional<std::uint64_t> first_difference(const std::byte* bytes, std::uint64_t packet) const;
    [[nodiscard]] bool all_are_right(NodeId v) const;
    [[nodiscard]] bool is_right_group(std::size_t i) const;

    NodeId nodes_;
    NodeShare share_;
    std::uint64_t packet_bytes_;
    Order order_;
    std::vector<std::byte> right_;
    HugeArray<std::byte> bytes_;
    PacketTable held_;
    const PacketTable* noted_elsewhere_ = nullptr;  ///< replaces the bits after leave_notes_to()
    std::vector<std::uint8_t> right_groups_;        ///< 1: compare_groups() found no wrong byte
};

/// One packet's bytes at every node that holds it. A transfer copies them from the sender's memory to the receiver's.
///
/// Callers   move() by the task that owns the receiver; it reads the sender's bytes, which are unchanged since an earlier round.
/// Memory    N * packet_bytes, touched where the packet comes.
class PacketMemory {
  public:
    /// Holds no bytes: only sizes are counted.
    PacketMemory() = default;
    /// The source's packet is filled from the seed. Only nodes of the share have memory.
    PacketMemory(NodeId nodes, std::uint64_t packet_bytes, NodeId source, std::uint64_t seed,
                 const NodeShare& share = {});

    [[nodiscard]] bool holds_bytes() const { return bytes_ != 0; }

    [[gnu::always_inline]] void move(NodeId from, NodeId to) {
        if (bytes_ == 8) [[likely]]  // the most common small packet: one load and one store
            std::memcpy(at(to), at(from), 8);
        else
            std::memcpy(at(to), at(from), bytes_);
    }

    void write(NodeId to, const std::byte* bytes) { std::memcpy(at(to), bytes, bytes_); }

    /// Prefetches what move() will touch.
    [[gnu::always_inline]] void prefetch(NodeId from, NodeId to) const {
        __builtin_prefetch(at(from), 0);
        __builtin_prefetch(at(to), 1);
    }

    /// Whether a node's packet equals the source's, byte for byte.
    [[nodiscard]] bool intact(NodeId node) const {
        if (bytes_ == 8) {
            std::uint64_t here = 0;
            std::uint64_t there = 0;
            std::memcpy(&here, at(node), 8);
            std::memcpy(&there, right_.data(), 8);
            return here == there;
        }
        return std::memcmp(at(node), right_.data(), bytes_) == 0;
    }
    /// Returns the first byte of a node's packet that differs; nothing if all are equal.
    [[nodiscard]] std::optional<std::uint64_t> first_difference(NodeId node) const;

    /// Overwrites every packet but the source's with wrong bytes, so that a missing packet is found.
    void spoil();

    [[nodiscard, gnu::always_inline]] std::byte* at(NodeId node) { return data_.data() + share_.place(node) * bytes_; }
    [[nodiscard, gnu::always_inline]] const std::byte* at(NodeId node) const {
        return data_.data() + share_.place(node) * bytes_;
    }

  private:
    NodeShare share_;
    HugeArray<std::byte> data_;
    std::vector<std::byte> right_;
    std::uint64_t bytes_ = 0;
    NodeId source_ = 0;
};

}  // namespace kport
