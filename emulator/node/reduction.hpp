/// @file reduction.hpp   Operators and the values that they fold: what a reduction computes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/node/bundle.hpp"
#include "emulator/node/seal.hpp"

namespace KPORT_PUBLIC kport {

/// min and max order doubles as IEEE 754's totalOrder does, -0 below 0: of every operator but the sum of doubles the result
/// is the same, bit for bit, wherever the brackets stand.
enum class Operator : std::uint8_t { sum, min, max, exclusive_or, concat };
enum class ElementType : std::uint8_t { int64, real, text };

[[nodiscard]] std::string_view name(Operator op);       ///< "sum", "min", "max", "xor", "concat"
[[nodiscard]] std::string_view name(ElementType type);  ///< "int64", "double", "string"

/// What is folded, and how.
struct Reduction {
    Operator op = Operator::sum;
    ElementType type = ElementType::int64;
    /// What each node contributes, as text; empty: every node's contribution follows from its number and the seed.
    std::vector<std::string> values;

    /// Only concat is not commutative.
    [[nodiscard]] bool commutative() const { return op != Operator::concat; }
};

/// Throws RequestError for an operator that is not defined for the type, for values that cannot be read as such, for a
/// number of values other than `nodes`, and where a packet does not hold whole elements of 8 bytes.
void require_valid(const Reduction& reduction, NodeId nodes, std::uint64_t packet_bytes);

/// Makes and folds values, and seals them. A value is packet_bytes / 8 elements (one text, of any length, for concat), a body whose blocks
/// say which contributions it sums up.
///
/// Callers   any thread.
class Folder {
  public:
    /// `payload` false: values have no bytes, and which contributions they sum up is all that is known of them.
    Folder(const Reduction& reduction, std::uint64_t packet_bytes, std::uint64_t seed, bool payload);

    [[nodiscard]] const Reduction& reduction() const { return reduction_; }
    [[nodiscard]] bool payload() const { return payload_; }
    [[nodiscard]] const Sealer& sealer() const { return sealer_; }
    /// From now on other seals: no value that was made before is intact.
    void seal_anew() { sealer_ = Sealer(reduction_.op, reduction_.type); }
    /// Whether the result depends on where the brackets stand: sums of doubles that were given are rounded. (Those that are
    /// drawn by the seed are small whole numbers, whose sums are exact.)
    [[nodiscard]] bool brackets_matter() const {
        return reduction_.op == Operator::sum && reduction_.type == ElementType::real && !reduction_.values.empty();
    }

    /// Whether values are elements (node/bundle.hpp) as long as their contributions are one progression.
    [[nodiscard]] bool has_elements() const {
        return reduction_.type != ElementType::text && (packet_bytes_ == sizeof(std::uint64_t) || !payload_);
    }
    /// Of elements: node v's contribution; left op right.
    [[nodiscard]] std::uint64_t element(NodeId v) const;
    [[nodiscard]] std::uint64_t fold(std::uint64_t left, std::uint64_t right) const;
    /// The same, sealed. `both` are the contributions of left and right.
    [[nodiscard]] Element sealed_element(NodeId v) const;
    [[nodiscard]] Element fold(const Element& left, const Element& right, const Progression& both) const {
        return {both, fold(left.bits, right.bits), sealer_.of_fold(both, left.bits, right.bits)};
    }
    /// An element as a body.
    [[nodiscard]] Body* body_of(const Element& element, FramePool& pool) const;
    /// The seal of a value as it is now.
    [[nodiscard]] Seal seal_of(const Element& value) const { return sealer_.of(value.contributions, value.bits); }
    [[nodiscard]] Seal seal_of(const Body& value) const { return sealer_.of(value.blocks(), value.content()); }
    /// Whether a value is what was sealed.
    [[nodiscard]] bool intact(const Element& value) const { return value.seal == seal_of(value); }
    [[nodiscard]] bool intact(const Body& value) const { return value.seal == seal_of(value); }

    [[nodiscard]] Body* contribution(NodeId v, FramePool& pool) const;
    /// left op right, as a new value.
    [[nodiscard]] Body* fold(const Body& left, const Body& right, FramePool& pool) const;

    /// The bytes of node v's contribution.
    [[nodiscard]] std::vector<std::byte> contribution(NodeId v) const;
    /// left := left op right.
    void fold(std::vector<std::byte>& left, const std::vector<std::byte>& right) const;
    /// into := left op right, elements one after the other, whole ones; `into` may be left or right. Not for texts.
    void fold(std::byte* into, const std::byte* left, const std::byte* right, std::uint64_t bytes) const;

    /// A value for people: "17", "2.5", "0.1.2."; of several elements the first.
    [[nodiscard]] std::string text(const std::byte* bytes, std::uint64_t count) const;

  private:
    [[nodiscard]] std::uint64_t drawn(NodeId v, std::uint64_t i) const;

    Reduction reduction_;
    Sealer sealer_;
    std::uint64_t packet_bytes_;
    std::uint64_t seed_;
    bool payload_;
    std::vector<std::uint64_t> numbers_;  ///< Reduction::values as the bits of int64 or double
};

}  // namespace kport
