/// @file packet_memory.hpp   The bytes of the packet of a broadcast, at every node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "emulator/base/huge_array.hpp"
#include "emulator/base/node_share.hpp"
#include "emulator/base/types.hpp"

namespace kport {

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
