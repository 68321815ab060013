/// @file agreement.hpp   Whether all nodes that hold the result of the same contributions hold the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/node/reduction.hpp"
#include "emulator/schedule/collective.hpp"

namespace KPORT_PUBLIC kport {

/// Whether several nodes hold the result of the same contributions.
[[nodiscard]] bool has_several_holders(const Operation& operation);
[[nodiscard]] bool has_several_holders(const Collective& collective);

/// How far the results of a reduction agree: those of all nodes that hold the same segment and the same contributions. Results that
/// are brackets (node/fold_order.hpp) are compared in the same way.
struct Agreement {
    /// One of the different results of a segment, at the node with the lowest number.
    struct Sample {
        NodeId node = no_node;
        std::string text;

        bool operator==(const Sample&) const = default;
    };

    static constexpr std::uint64_t bits_max = 64;

    std::uint64_t holders = 0;               ///< of a segment, at most; of `samples`, where results differ
    std::uint64_t different = 0;             ///< results of a segment, at most
    std::uint64_t segments_that_differ = 0;  ///< that have more than one result
    std::uint64_t different_at_a_node = 0;   ///< results among the segments of one node, at most; only of brackets
    std::uint64_t height = 0;                ///< of the highest bracket; only of brackets
    /// The values of the type between the least and the greatest result of a segment, at most; nothing if one is NaN.
    std::optional<std::uint64_t> largest_ulps = 0;
    std::vector<Sample> samples;  ///< two of the segment with the most results, where they differ
    /// The first element of each segment in hexadecimal digits, by node; a node without a result has none. Empty for texts, and
    /// where there are more than `bits_max`.
    std::vector<std::vector<std::string>> bits;

    bool operator==(const Agreement&) const = default;
};

/// Compares results as they are added.
///
/// Callers   one task. The bytes of all results must stay until agreement().
/// Cost      a comparison with the first result, byte by byte; where results differ, O(log holders) comparisons each.
class AgreementBook {
  public:
    AgreementBook(const Folder& folder, const Collective& collective, NodeId nodes);

    /// Node v holds this result. In the order of the nodes.
    void add(NodeId v, std::span<const PacketBlock> contributions, std::span<const std::byte> bytes);
    [[nodiscard]] Agreement agreement() const;

  private:
    struct Held {
        NodeId node = no_node;
        std::span<const std::byte> bytes;
    };
    /// The results of a segment.
    struct Segment {
        Held first;
        std::uint64_t holders = 0;
        std::vector<Held> others;  ///< that differ from the first
    };

    void compare(NodeId v, std::uint32_t segment, std::size_t list, std::span<const std::byte> bytes);
    /// The number of the contributions to a segment among those that were seen; 0 where all nodes hold the same.
    [[nodiscard]] std::size_t list_of(std::span<const PacketBlock> contributions, std::uint32_t segment);
    void note_bits(NodeId v, std::span<const std::byte> first_element);
    void note_brackets(std::span<const std::byte> brackets);
    void note_difference(const Segment& segment, Agreement& all) const;
    [[nodiscard]] std::optional<std::uint64_t> ulps_between(std::span<const Held> results) const;

    const Folder& folder_;
    const bool shared_;
    const bool are_brackets_;
    Held whole_;  ///< the first result of all segments
    std::uint64_t whole_holders_ = 0;
    std::map<std::pair<std::uint32_t, std::size_t>, Segment> segments_;  ///< by segment and list
    const bool is_own_;
    std::vector<PacketSet> lists_;  ///< of contributions, where nodes hold results of different ones
    std::uint64_t bits_ = 0;
    Agreement found_;  ///< what is known without the segments
};

}  // namespace kport
