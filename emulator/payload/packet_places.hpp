/// @file packet_places.hpp   The bytes of the packets that all nodes get: a place for each of them at every node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
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
/// Callers   the task that owns a node, for that node.
/// Memory    N M packets and as many bits, touched where packets come; no bits where they are noted elsewhere.
class PacketPlaces {
  public:
    /// `right`: what the packets must be.
    PacketPlaces(NodeId nodes, std::uint64_t packets, std::uint64_t packet_bytes, const PacketBytes& right,
                 const NodeShare& share = {});

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

  private:
    [[nodiscard]] const PacketTable& held() const { return noted_elsewhere_ != nullptr ? *noted_elsewhere_ : held_; }
    /// Calls visit(word of the node, bits, place of its first column among all packets, from below 0 on).
    template <class Visit>
    static void for_each_piece(std::span<const PacketBlock> packets, const Visit& visit);
    [[nodiscard]] std::byte* at(NodeId v, std::uint64_t packet) {
        return bytes_.data() + (share_.place(v) * packets_ + packet) * packet_bytes_;
    }
    [[nodiscard]] const std::byte* at(NodeId v, std::uint64_t packet) const {
        return bytes_.data() + (share_.place(v) * packets_ + packet) * packet_bytes_;
    }
    /// The first byte in which a packet differs from what it must be; nothing if all are equal.
    [[nodiscard]] std::optional<std::uint64_t> first_difference(const std::byte* bytes, std::uint64_t packet) const;
    [[nodiscard]] bool all_are_right(NodeId v) const;

    NodeShare share_;
    std::uint64_t packets_;
    std::uint64_t packet_bytes_;
    std::vector<std::byte> right_;
    HugeArray<std::byte> bytes_;
    PacketTable held_;
    const PacketTable* noted_elsewhere_ = nullptr;  ///< instead
};

}  // namespace kport
