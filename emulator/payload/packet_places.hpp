/// @file packet_places.hpp   The bytes of the packets that all nodes get: a place for each of them at every node.
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
#include "emulator/payload/packet_bytes.hpp"
#include "emulator/schedule/packet_table.hpp"

namespace kport {

/// Packets 0 to M - 1, as columns of row 0, at the nodes that hold them. What comes is copied to its place, so that a packet
/// costs its bytes and a bit, in however many messages the packets came.
///
/// Places stand node by node, so that packets that come in one message are copied at once; or, where nodes do in a round what their
/// neighbours do, packet by packet in groups of neighbours: what moves one after the other is then close.
///
/// Callers   the task that owns a node, for that node.
/// Memory    N M packets and as many bits, touched where packets come; no bits where they are noted elsewhere.
class PacketPlaces {
  public:
    /// `right`: what the packets must be.
    PacketPlaces(NodeId nodes, std::uint64_t packets, std::uint64_t packet_bytes, const PacketBytes& right,
                 const NodeShare& share = {});

    /// From now on places stand packet by packet in groups of neighbours. Before anything has come.
    void stand_in_groups();
    /// A node gets packets, whose bytes stand one after the other. Of one that it has the first stays, unless what comes now is
    /// wrong: that is to be found.
    void put(NodeId v, std::span<const PacketBlock> packets, const std::byte* bytes);
    [[nodiscard]] bool has(NodeId v, std::uint32_t packet) const { return held().has(v, packet); }
    /// From now on somebody else notes who holds what, before it comes, and only what does for the first time comes. Before
    /// anything has.
    void leave_notes_to(const PacketTable& held) {
        noted_elsewhere_ = &held;
        held_ = {};
    }
    /// A node gets a packet that another holds, unless it has it. Right bytes alone: what is wrong must not get lost, see put().
    /// The other's place, read here, does not change.
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
    /// The same of many packets, where somebody else notes who holds what and all nodes have places: for_each(move) calls
    /// move(from, to, packet). In line: little but the packets is read and written then.
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
    /// Fetches what move() will touch: a hint.
    [[gnu::always_inline]] void prefetch(NodeId from, NodeId to, std::uint32_t packet) const {
        if (noted_elsewhere_ == nullptr) held_.prefetch(to, packet);
        __builtin_prefetch(at(from, packet));
        __builtin_prefetch(at(to, packet), 1);
    }
    /// Copies those of some packets that the node holds, each to its place among all; returns how many those are.
    std::uint64_t copy(NodeId v, std::span<const PacketBlock> packets, std::byte* into) const;
    [[nodiscard]] PacketSet held(NodeId v) const { return held().set(v); }
    /// The node has passed these on.
    void remove(NodeId v, std::span<const PacketBlock> packets);
    /// The node holds nothing.
    void clear(NodeId v) {
        if (noted_elsewhere_ == nullptr) held_.clear(v);
    }

    struct Difference {
        PacketId packet;
        std::uint64_t byte;
    };
    struct Check {
        std::optional<Difference> first;  ///< of all packets that the node holds
        PacketSet missing;                ///< of those that it must hold
        std::uint64_t wrong = 0;          ///< how many of those that it must hold differ
    };
    /// Compares what a node holds, byte for byte, with what it must be, and with what it must hold.
    [[nodiscard]] Check check(NodeId v, std::span<const PacketBlock> must_hold) const;
    /// Compares whole groups, whose bytes stand together, so that check() need not look at those that are all right. After the last
    /// packet has come; for_index(count, body) calls body(i) for 0 <= i < count, in any order or at once. O(N M bytes).
    template <class ForIndex>
    void compare_groups(const ForIndex& for_index) {
        if (order_.group_bits == 0) return;
        right_groups_.assign(share_.places(nodes_) >> order_.group_bits, 0);
        for_index(right_groups_.size(), [&](std::size_t i) { right_groups_[i] = is_right_group(i) ? 1 : 0; });
    }

  private:
    [[nodiscard]] const PacketTable& held() const { return noted_elsewhere_ != nullptr ? *noted_elsewhere_ : held_; }
    /// Calls visit(word of the node, bits, place of its first column among all packets, from below 0 on).
    template <class Visit>
    static void for_each_piece(std::span<const PacketBlock> packets, const Visit& visit);
    /// Calls visit(first, count) for some packets of a node whose bytes stand one after the other.
    template <class Visit>
    void for_each_stretch(std::uint64_t bits, const Visit& visit) const;
    struct Order {
        std::uint64_t packets;    ///< of a node
        unsigned group_bits = 0;  ///< of groups of 2^group_bits places

        /// Of the packet of the node that has that place among all: how many packets stand before it.
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
    /// The first byte in which a packet differs from what it must be; nothing if all are equal.
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
    const PacketTable* noted_elsewhere_ = nullptr;  ///< instead
    std::vector<std::uint8_t> right_groups_;        ///< 1: compare_groups() has found no other byte
};

}  // namespace kport
