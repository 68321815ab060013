/// @file reduction.hpp   What a reduction computes, and the values that its operator folds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/node/bundle.hpp"
#include "emulator/node/operator.hpp"
#include "emulator/node/seal.hpp"
#include "emulator/schedule/collective.hpp"

namespace KPORT_PUBLIC kport {

/// What is folded, and how.
struct Reduction {
    Operator op = Operator::sum;
    ElementType type = ElementType::int64;
    /// What each node contributes, as text; empty: every node's contribution follows from its number and the seed, or is what
    /// the user of an operator of his own says.
    std::vector<std::string> values;

    /// By an operator of one's own. Throws RequestError where its name, what it makes or what nodes contribute is not said.
    template <SentAsBytes T>
    [[nodiscard]] static Reduction own(OwnOperator<T> said) {
        const auto made = std::make_shared<const detail::OwnFolding<T>>(std::move(said));
        return {Operator(std::shared_ptr<const OperatorRecord>(made)),
                ElementType(std::shared_ptr<const ElementTypeRecord>(made)),
                {}};
    }

    [[nodiscard]] bool commutative() const { return op->commutative; }
};

/// Throws RequestError for an operator that is not defined for the type, or is not what its user says (require_claims()), for
/// values that cannot be read as such, for a number of values other than `nodes`, and where a packet does not hold whole
/// elements.
void require_valid(const Reduction& reduction, NodeId nodes, std::uint64_t packet_bytes);
/// For a collective that folds. Throws RequestError as above, and for rules that are no law where folding a contribution twice does harm.
void require_valid(const Reduction& reduction, NodeId nodes, const Collective& collective);

/// The collective as it is judged when that is folded: in runs if it is, or if the operator does not commute
/// (Collective::in_runs).
[[nodiscard]] Collective folding(Collective collective, const Reduction& reduction);

/// Makes and folds values, and seals them. A value is a body whose blocks say which contributions it sums up, each once (Body::twice:
/// which twice), by segment (the rows); then come, for each of its segments in ascending order, as many elements as a packet holds (of
/// texts one, of any length); in runs (Collective::in_runs) the same for each run of consecutive nodes, in ascending order;
/// unfolded (Collective::unfolded) for each node.
///
/// Callers   any thread.
class Folder {
  public:
    /// `payload` false: values have no bytes, and which contributions they sum up is all that is known of them.
    /// `unfolded`: as Collective::unfolded.
    Folder(const Reduction& reduction, std::uint64_t packet_bytes, std::uint64_t seed, bool payload,
           std::uint64_t segments = 1, bool unfolded = false);

    [[nodiscard]] const Reduction& reduction() const { return reduction_; }
    [[nodiscard]] bool payload() const { return payload_; }
    [[nodiscard]] const Sealer& sealer() const { return sealer_; }
    /// From now on other seals: no value that was made before is intact.
    void seal_anew() { sealer_ = Sealer(folding_); }
    /// Whether the result depends on where the brackets stand, since it is rounded. (Doubles that are drawn by the seed are small
    /// whole numbers, whose sums are exact.)
    [[nodiscard]] bool brackets_matter() const {
        const bool is_exact = folding_->rounds == Rounds::sums && reduction_.type == ElementType::real;
        return folding_->rounds != Rounds::no && !(is_exact && reduction_.values.empty());
    }
    [[nodiscard]] Rounds rounds() const { return folding_->rounds; }

    /// Whether values are texts.
    [[nodiscard]] bool has_texts() const { return is_text(); }
    /// Whether values are elements (node/bundle.hpp) as long as their contributions are one progression.
    [[nodiscard]] bool has_elements() const {
        if (is_text() || segments_ > 1) return false;
        if (!payload_) return true;
        return reduction_.type->bytes == sizeof(std::uint64_t) && packet_bytes_ == sizeof(std::uint64_t);
    }
    /// has_elements() for one of several segments, as long as their contributions follow one another around the nodes.
    [[nodiscard]] bool has_elements_of_segments() const {
        if (is_text() || segments_ == 1) return false;
        return !payload_ || (reduction_.type->bytes == sizeof(std::uint64_t) && packet_bytes_ == sizeof(std::uint64_t));
    }
    /// Of elements: node v's contribution; left op right.
    [[nodiscard]] std::uint64_t element(NodeId v) const;
    [[nodiscard]] std::uint64_t fold(std::uint64_t left, std::uint64_t right) const {
        return payload_ ? folding_->fold_word(*folding_, left, right) : 0;
    }
    /// These with their seals. `both` are the contributions of left and right.
    [[nodiscard]] Element sealed_element(NodeId v) const;
    [[nodiscard]] Element fold(const Element& left, const Element& right, const Progression& both) const {
        if (!payload_) return {both, 0, sealer_.of(both, 0)};
        return {both, folding_->fold_word(*folding_, left.bits, right.bits),
                sealer_.of_fold(both, left.bits, right.bits)};
    }
    /// Of one of several segments; first without its seal. `both`: what contributions they have, without bits and seal.
    [[nodiscard]] Element element(NodeId v, std::uint32_t segment) const;
    [[nodiscard]] Element sealed_element(NodeId v, std::uint32_t segment) const;
    [[nodiscard]] Element fold(const Element& left, const Element& right, Element both) const {
        both.bits = fold(left.bits, right.bits);
        both.seal = sealer_.of(both.contributions, both.segment, both.around,
                               payload_ ? sealer_.fold(left.bits, right.bits) : 0);
        return both;
    }
    /// An element as a body.
    [[nodiscard]] Body* body_of(const Element& element, FramePool& pool) const;
    /// The seal of a value as it is now.
    [[nodiscard]] Seal seal_of(const Element& value) const {
        return sealer_.of(value.contributions, value.segment, value.around, value.bits);
    }
    [[nodiscard]] Seal seal_of(const Body& value) const { return sealer_.of(value.blocks(), value.content()); }
    /// Whether a value is what was sealed.
    [[nodiscard]] bool intact(const Element& value) const { return value.seal == seal_of(value); }
    [[nodiscard]] bool intact(const Body& value) const { return value.seal == seal_of(value); }

    [[nodiscard]] Body* contribution(NodeId v, FramePool& pool) const;
    /// To some segments of several, as columns of row 0.
    [[nodiscard]] Body* contribution(NodeId v, const PacketSet& segments, FramePool& pool) const;
    /// Whether two operands are what was sealed.
    struct Intact {
        bool left;
        bool right;
    };
    /// left op right, as a new value. `intact`, if asked for, says of the operands what intact() says: together they cost least.
    /// Texts that share contributions give the longer text if one has contributions twice: so no text is longer than its
    /// contributions twice.
    [[nodiscard]] Body* fold(const Body& left, const Body& right, FramePool& pool, Intact* intact = nullptr) const;

    /// All in the order of the nodes: runs of consecutive nodes that meet in a segment are folded, others stay apart.
    [[nodiscard]] Body* merged(std::span<const Body* const> values, FramePool& pool) const;
    /// Unfolded: with what meets folded, from left to right.
    [[nodiscard]] Body* in_one(const Body& value, FramePool& pool) const;
    /// A value's runs of consecutive nodes, each as a value of all segments that have this run; ascending. Unfolded: its contributions.
    [[nodiscard]] std::vector<Value> runs(const Body& value, FramePool& pool) const;

    /// left op right: they have the same segments.
    [[nodiscard]] bool fit_together(const Body& left, const Body& right) const;
    /// Segments of a value, which has them, as a value; as columns of row 0. Many bytes side by side stay where they are. O(runs of
    /// segments log runs) and the bytes.
    [[nodiscard]] Body* cut(Body& value, const PacketSet& segments, FramePool& pool) const;
    /// Values that have no segment in common, as one; `segments`: of all of them. `intact`: whether all were what was sealed, which
    /// costs least together. O(runs of segments log runs) and the bytes.
    [[nodiscard]] Body* joined(std::span<const Body* const> values, const PacketSet& segments, FramePool& pool,
                               bool& intact) const;
    /// These bytes as the value of other contributions; many stay where they are. `intact`: whether it was what was sealed.
    [[nodiscard]] Body* renamed(Body& value, std::span<const PacketBlock> contributions, FramePool& pool,
                                bool& intact) const;
    /// Elements of segments side by side, of the same contributions each, as one value; null where they are anything else.
    [[nodiscard]] Body* joined_elements(std::span<const Value* const> values, FramePool& pool) const;
    /// Calls visit(first, count, byte) for the runs of successive segments of a value, and where their bytes begin.
    template <class Visit>
    void for_each_run(std::span<const PacketBlock> contributions, const Visit& visit) const {
        std::uint64_t byte = 0;
        for_each_range(rows_of(contributions), [&](std::uint32_t first, std::uint32_t count) {
            visit(first, count, byte);
            byte += count * bytes_of_segment();
        });
    }
    /// Of one; 0 where values have no bytes. Texts have one of any size.
    [[nodiscard]] std::uint64_t bytes_of_segment() const { return payload_ ? packet_bytes_ : 0; }
    [[nodiscard]] std::uint64_t segments() const { return segments_; }

    /// The bytes of node v's contribution; of texts, which are the same in all segments, to one.
    [[nodiscard]] std::vector<std::byte> contribution(NodeId v) const;
    /// left := left op right.
    void fold(std::vector<std::byte>& left, const std::vector<std::byte>& right) const;
    /// into := left op right, elements one after the other, whole ones; `into` may be left or right. Not for texts.
    void fold(std::byte* into, const std::byte* left, const std::byte* right, std::uint64_t bytes) const {
        folding_->fold(*folding_, into, left, right, bytes);
    }

    /// A value for people: "17", "2.5", "0.1.2."; of several elements the first.
    [[nodiscard]] std::string text(const std::byte* bytes, std::uint64_t count) const;
    /// The first byte in which a result differs from the right one; nothing if they count as the same.
    [[nodiscard]] std::optional<std::uint64_t> first_difference(std::span<const std::byte> result,
                                                                std::span<const std::byte> right) const;

  private:
    /// A run of a value in a segment, and its bytes.
    struct Run {
        std::uint32_t segment;
        Progression nodes;
        std::span<const std::byte> bytes;
    };
    /// In the order of their bytes.
    [[nodiscard]] std::vector<Run> runs_in(const Body& value) const;
    /// Whether the segments of a value of several differ in their bytes, as runs and texts do.
    [[nodiscard]] bool has_runs_apart(const Body& value) const;
    /// The bytes of all runs of a value that is merged of them, by `op` (null: texts).
    [[nodiscard]] std::vector<std::byte> bytes_of(std::span<const Run> runs, Folding::OfMany op, bool unfolded) const;
    [[nodiscard]] Body* body_of(std::span<const PacketBlock> contributions, std::span<const Run> runs,
                                FramePool& pool) const {
        return body_of(contributions, runs, pool, unfolded_);
    }
    [[nodiscard]] Body* body_of(std::span<const PacketBlock> contributions, std::span<const Run> runs, FramePool& pool,
                                bool unfolded) const;
    /// Of a value that has runs apart: `kept`, its contributions to these segments.
    [[nodiscard]] Body* cut_of_runs(const Body& value, const PacketSet& kept, const PacketSet& segments,
                                    FramePool& pool) const;
    /// Which contributions some values have twice.
    [[nodiscard]] static PacketSet twice_in(std::span<const Body* const> values);
    /// The contributions of left op right, and which are in it twice; the bytes not yet written.
    [[nodiscard]] Body* unwritten(const Body& left, const Body& right, std::uint64_t bytes, FramePool& pool) const;
    /// cut() and joined(), without what is in a value twice.
    [[nodiscard]] Body* cut_once(Body& value, const PacketSet& segments, FramePool& pool) const;
    [[nodiscard]] Body* joined_once(std::span<const Body* const> values, const PacketSet& segments, FramePool& pool,
                                    bool& intact) const;
    /// Of the texts that nodes before v contribute.
    [[nodiscard]] std::uint64_t text_bytes_before(std::uint64_t v) const;
    [[nodiscard]] bool is_text() const { return reduction_.type.is_text(); }
    /// Node v's contribution to some segments, in this order.
    void write_contribution(NodeId v, const Progression& segments, std::byte* into) const;
    /// Where the bytes of segments of a value begin, if they are side by side.
    [[nodiscard]] std::optional<std::uint64_t> first_byte_of(const Body& value, const PacketSet& segments) const;
    /// Copies the bytes of segments of a value, in ascending order.
    void copy_segments(const Body& value, const PacketSet& segments, std::byte* into) const;
    /// Copies the bytes of all segments of some values to their places among all; false if they are not progressions.
    bool copy_progressions(std::span<const Body* const> values, const PacketSet& segments, std::byte* into) const;
    /// Segments of a value side by side.
    struct Piece {
        std::uint32_t first;
        const Body* value;
        std::span<const std::byte> bytes;
    };
    /// The bytes of all segments of some values, in ascending order.
    [[nodiscard]] std::vector<Piece> in_order(std::span<const Body* const> values) const;
    /// Calls visit(bytes) for those of segments of a value, in ascending order.
    template <class Visit>
    void for_each_piece(const Body& value, const PacketSet& segments, const Visit& visit) const;
    /// Segments as ranges, in ascending order.
    [[nodiscard]] static std::vector<Progression> ranges_of(const PacketSet& segments);
    /// Calls visit(first, count) for the same; a progression, as most are, needs no list.
    template <class Visit>
    static void for_each_range(const PacketSet& segments, const Visit& visit) {
        if (!segments.is_block()) {
            for (const Progression& range : ranges_of(segments)) visit(range.first, range.count);
            return;
        }
        const Progression some = segments.block().columns();
        if (some.stride == 1 || some.count == 1) return visit(some.first, some.count);
        for (std::uint32_t i = 0; i < some.count; ++i) visit(some[i], std::uint32_t{1});
    }

    Reduction reduction_;
    const Folding* folding_;
    Sealer sealer_;
    std::uint64_t packet_bytes_;
    std::uint64_t seed_;
    bool payload_;
    std::uint64_t segments_;
    bool unfolded_;
    std::vector<std::byte> numbers_;   ///< Reduction::values as elements
    std::vector<std::uint64_t> ends_;  ///< of texts that were given, one behind the other
};

}  // namespace kport
