/// @file packet_table.hpp   Which of a few packets each node has: a bit for each.
#pragma once

#include <cstdint>

#include "emulator/base/huge_array.hpp"
#include "emulator/base/node_share.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// For each node a set of packets 0 to M - 1, as columns of row 0.
///
/// Callers   the task that owns a node, for that node.
/// Memory    a bit for each node and packet, in words of 64.
class PacketTable {
  public:
    static constexpr std::uint32_t columns = 64;  ///< columns a word

    /// A table without packets.
    PacketTable() = default;
    /// All bits are clear.
    PacketTable(NodeId nodes, std::uint64_t packets, const NodeShare& share = {})
        : share_(share), packets_(packets), words_((packets + columns - 1) / columns),
          bits_(share.places(nodes) * words_) {}

    [[nodiscard]] bool of_none() const { return words_ == 0; }
    [[nodiscard]] std::uint64_t words() const { return words_; }
    /// The packets 64 i to 64 i + 63 of a node.
    [[nodiscard]] std::uint64_t& word(NodeId v, std::uint64_t i) { return bits_[share_.place(v) * words_ + i]; }
    [[nodiscard]] std::uint64_t word(NodeId v, std::uint64_t i) const { return bits_[share_.place(v) * words_ + i]; }

    [[nodiscard]] bool has(NodeId v, std::uint32_t packet) const {
        return (word(v, packet / columns) >> packet % columns & 1) != 0;
    }
    void add(NodeId v, std::uint32_t packet) { word(v, packet / columns) |= std::uint64_t{1} << packet % columns; }
    [[nodiscard]] bool has_all(NodeId v) const { return count(v) == packets_; }
    [[nodiscard]] bool has_none(NodeId v) const { return count(v) == 0; }

    [[nodiscard]] PacketSet set(NodeId v) const;
    /// Sets exactly these packets of the node.
    void put(NodeId v, const PacketSet& packets);
    void clear(NodeId v) { put(v, {}); }

    /// Prefetches what add() will touch.
    [[gnu::always_inline]] void prefetch(NodeId v, std::uint32_t packet = 0) const {
        __builtin_prefetch(bits_.data() + share_.place(v) * words_ + packet / columns, 1);
    }

  private:
    [[nodiscard]] std::uint64_t count(NodeId v) const;

    NodeShare share_;
    std::uint64_t packets_ = 0;
    std::uint64_t words_ = 0;
    HugeArray<std::uint64_t> bits_;
};

}  // namespace kport
