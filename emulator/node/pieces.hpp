/// @file pieces.hpp   The values that a node has of the segments of a vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "emulator/node/node.hpp"

namespace kport {

/// The segments of a value, as columns of row 0.
[[nodiscard]] inline PacketSet segments_of(const Value& value) {
    if (!value.is_element()) return value.body() != nullptr ? rows_of(value.body()->blocks()) : PacketSet();
    const FewBlocks few = value.element().blocks();
    return rows_of(few.blocks());
}

/// Values of segments, what came last in front of what came before: of a segment that several have, the last one's counts. A
/// node's contribution, which stands behind them all, is made as its segments are asked for.
///
/// Callers   the program of one node.
/// Cost      O(values that have some of the segments asked for, and those that came after them). Where values are many, until that has
///           cost as much as a list of every segment's value: then O(segments asked for).
class Pieces {
  public:
    /// Segments as columns of row 0.
    void put(Value value, PacketSet segments);
    /// put() of segments that it has none of. Values that were added are joined as they become many: each a few times, so
    /// that a vector that comes segment by segment takes little more memory than its bytes. They are given, not taken.
    void add(Node& self, Value value, PacketSet segments);
    /// The node's contribution to them.
    void put_contribution(PacketSet segments) { contributed_ = std::move(segments); }
    /// A value, folded in the order of the nodes with what it has of these segments.
    void fold(Node& self, const Value& value, const PacketSet& segments);

    /// The value of some segments, of which it has all, at least one; or their results (Node::whole).
    [[nodiscard]] Value get(Node& self, const PacketSet& segments, bool results = false) const;
    /// get() of segments that were added. Where they are all that there are they stay joined.
    [[nodiscard]] Value give(Node& self, const PacketSet& segments);
    /// give() and remove().
    [[nodiscard]] Value take(Node& self, const PacketSet& segments);
    void remove(const Node& self, const PacketSet& segments);

    /// At how many values it has looked one after the other, where they were many.
    [[nodiscard]] std::uint64_t looks() const { return index_ ? index_->looks : 0; }
    /// How many values it has moved, where they were many, since one before them was taken.
    [[nodiscard]] std::uint64_t moves() const { return index_ ? index_->moves : 0; }

  private:
    struct Piece {
        Value value;
        PacketSet segments;        ///< that are left; none: the piece is gone
        bool is_whole = true;      ///< those are all that the value has
        unsigned joins = 0;        ///< how often it was joined, if it was added
        std::uint32_t number = 1;  ///< ascending
    };
    struct Index {
        std::uint64_t looks = 0;
        std::uint64_t moves = 0;
        std::vector<std::uint32_t> number_of;  ///< by segment, once it pays: that of its piece; 0: none
        bool serves = true;                    ///< no segment has several
        std::size_t gone = 0;                  ///< pieces that still have a place
    };
    using Places = boost::container::small_vector<std::size_t, 16>;

    [[nodiscard]] std::uint32_t next_number() const { return pieces_.empty() ? 1 : pieces_.back().number + 1; }
    /// The places of pieces, ascending, among which are all that have some of these segments.
    [[nodiscard]] Places places_with(const Node& self, const PacketSet& segments) const;
    [[nodiscard]] bool is_listed() const { return index_ && !index_->number_of.empty(); }
    void list(const Piece& piece) const;
    void list_none(const PacketSet& segments) const;
    /// The piece that came last, if it is of just these segments, the usual case; else null.
    [[nodiscard]] const Piece* exactly(const PacketSet& segments) const;
    /// The place of the piece that counts for all of these segments; that behind the last one, if no piece has any of them;
    /// nothing where it takes several.
    [[nodiscard]] std::optional<std::size_t> only_one_of(const Node& self, const PacketSet& segments) const;
    /// Joins the pieces from one on, which were added.
    void join_from(Node& self, std::size_t first);
    void remove_from(const Places& places, PacketSet segments);
    /// The piece at a place has no segments any more. Where pieces are listed it keeps its place: what is taken from the middle does
    /// not move all that came later.
    void drop(std::size_t place);
    /// The last piece is none that is gone, and at most half of all are; where none are listed, none.
    void close_gaps();

    std::vector<Piece> pieces_;
    PacketSet contributed_;                 ///< segments of the contribution that are left
    mutable std::unique_ptr<Index> index_;  ///< once pieces are many: how they are found
};

}  // namespace kport
