/// @file counts.hpp   Numbers of packets that differ from node to node, or from pair to pair.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/base/types.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// What the numbers of a collective's packets are counted for (PacketBlock says which packet is where).
enum class CountedFor : std::uint8_t {
    nothing,  ///< every node has as many
    nodes,    ///< packet j of node v is row j of column v
    blocks,   ///< segment j of the block of node b is row b M + j
    pairs     ///< packet j from u to v is row u M + j of column v
};

/// The number of packets of each node, or of each pair of nodes: `--counts`. Packets are numbered as if every node had as many as
/// the largest number, M; those beyond a node's own number do not exist. Or there is one packet at most, and packets differ in size:
/// `--sizes`. Immutable.
///
/// Memory   4 bytes a number, 16 more where packets differ in size; of pairs also 16 a node.
class Counts {
  public:
    /// `numbers`: of the nodes in their order, or of the pairs row after row; those from a node to itself count as 0.
    Counts(std::vector<std::uint32_t> numbers, NodeId nodes, CountedFor counted_for);
    /// One packet of so many bytes for each number, none for 0.
    [[nodiscard]] static Counts of_sizes(const Counts& bytes);

    [[nodiscard]] CountedFor counted_for() const { return counted_for_; }
    [[nodiscard]] bool of_pairs() const { return counted_for_ == CountedFor::pairs; }
    [[nodiscard]] NodeId nodes() const { return nodes_; }
    [[nodiscard]] const std::vector<std::uint32_t>& numbers() const { return numbers_; }
    [[nodiscard]] std::uint32_t of(NodeId v) const { return numbers_[v]; }
    [[nodiscard]] std::uint32_t of(NodeId from, NodeId to) const { return numbers_[from * nodes_ + to]; }
    /// Return the least and the largest number; of pairs, of two different nodes. 0 where there is none.
    [[nodiscard]] std::uint32_t least() const { return least_; }
    [[nodiscard]] std::uint32_t largest() const { return largest_; }
    [[nodiscard]] std::uint64_t total() const { return total_; }
    /// The bytes of packets that differ in size, where the numbers are those of packets; null: all packets have the same size.
    [[nodiscard]] const Counts* bytes() const { return bytes_.get(); }
    /// Returns the sum of the numbers that some packets stand for, each once: the number of a node for a column (counted_for nodes), of
    /// a pair for row and column (pairs), of a block for a row (blocks). For numbers that are bytes. O(rows), of pairs O(packets).
    [[nodiscard]] std::uint64_t sum_of(std::span<const PacketBlock> packets) const;
    /// Return how many packets a node owns for others, and how many others own for it. Of pairs only.
    [[nodiscard]] std::uint64_t row_sum(NodeId from) const { return row_sums_[from]; }
    [[nodiscard]] std::uint64_t column_sum(NodeId to) const { return column_sums_[to]; }

    /// M: 1 where there is no packet.
    [[nodiscard]] std::uint64_t packets_each() const { return largest_ == 0 ? 1 : largest_; }
    /// Returns those of some packets that exist; all others are packets if every node has M of them. O(columns), of blocks and
    /// pairs O(rows).
    [[nodiscard]] PacketSet existing(std::span<const PacketBlock> packets) const;
    /// Returns the same numbers, counted for something else that there is one of for each node.
    [[nodiscard]] Counts counted_for(CountedFor other) const;
    /// Returns the numbers of some nodes for a machine of `count` nodes, where node r of these is node[r].
    [[nodiscard]] Counts placed(std::span<const NodeId> node, NodeId count) const;
    /// Returns those of some nodes only, in this order. Not of pairs.
    [[nodiscard]] Counts of_nodes(std::span<const NodeId> nodes) const;

    bool operator==(const Counts& other) const {
        const bool as_large =
            bytes_ == nullptr || other.bytes_ == nullptr ? bytes_ == other.bytes_ : *bytes_ == *other.bytes_;
        return numbers_ == other.numbers_ && counted_for_ == other.counted_for_ && as_large;
    }

  private:
    void add_existing_of_nodes(const PacketBlock& block, PacketSet& to) const;
    void add_existing_of_rows(const PacketBlock& block, PacketSet& to) const;
    [[nodiscard]] std::uint32_t of_row(std::uint32_t group, std::uint32_t column) const {
        return of_pairs() ? of(group, column) : of(group);
    }

    std::vector<std::uint32_t> numbers_;
    NodeId nodes_;
    CountedFor counted_for_;
    std::uint32_t least_ = 0;
    std::uint32_t largest_ = 0;
    std::uint64_t total_ = 0;
    std::vector<std::uint64_t> row_sums_;
    std::vector<std::uint64_t> column_sums_;
    std::vector<std::uint64_t> sums_before_;  ///< of the numbers before each, of bytes that are no pairs'
    std::shared_ptr<const Counts> bytes_ = nullptr;
};

/// Parses `3,0,5,1`, or the rows of a matrix with / between them, and "random:S..T", drawn by the seed. `what` begins the messages:
/// "allgather". Throws RequestError that names the entry, for too few or too many numbers, and for a matrix where one number a node
/// is wanted or the other way round.
[[nodiscard]] Counts counts_named(std::string_view text, std::string_view what, NodeId nodes, CountedFor counted_for,
                                  std::uint64_t seed);
/// Returns a text that counts_named() parses: "3,0,5,1", "0,2/1,0".
[[nodiscard]] std::string text(const Counts& counts);

}  // namespace kport
