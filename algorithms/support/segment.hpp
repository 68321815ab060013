/// @file segment.hpp   Recursive doubling on a line of numbers: senders, receivers, and the parts that they keep.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "algorithms/catalogue.hpp"
#include "emulator/base/types.hpp"

namespace kport {

/// The consecutive positions first .. last-1 for which a holder is responsible.
struct Segment {
    std::uint64_t first = 0;
    std::uint64_t last = 0;

    [[nodiscard]] std::uint64_t size() const { return last - first; }
    [[nodiscard]] bool contains(std::uint64_t x) const { return first <= x && x < last; }

    bool operator==(const Segment&) const = default;
};

/// One step of recursive doubling on a segment of at least two: the holder keeps one part, and the position `receiver`
/// becomes the holder of the other.
struct Halving {
    Segment kept;
    Segment given;
    std::uint64_t receiver = 0;
};

/// Splits a segment into contiguous halves around its holder (model.md section 4.1). In an odd split the holder keeps
/// the smaller or the greater part; in the exact middle it cannot keep the smaller, and keeps the greater, left one.
/// The receiver is the nearest position of the other part. O(1).
[[nodiscard]] Halving halve(const Segment& segment, std::uint64_t holder, Keep keep);

/// The segment for which a position becomes responsible when it is informed, and the sender.
struct Assignment {
    Segment segment;
    std::uint64_t by = 0;  ///< the source's is itself
};
/// Computes it if `source` starts with all n positions. O(log n): every node does so from its own position; no message
/// carries it.
[[nodiscard]] Assignment given_to(std::uint64_t position, std::uint64_t n, std::uint64_t source, Keep keep);

/// The cost of recursive doubling on a line of n positions from a source, by the recursion itself, O(n). In a scatter a
/// part that is given away has `bytes` bytes for each position.
struct LineCost {
    std::uint64_t rounds = 0;    ///< ceil(log2 n)
    std::uint64_t work = 0;      ///< sum of distances
    std::uint64_t path_sum = 0;  ///< sum over rounds of the longest distance
    std::uint64_t volume = 0;    ///< sum over rounds of the largest part given away
    double latency = 0;          ///< sum over rounds of the slowest message
};
[[nodiscard]] LineCost line_cost(std::uint64_t n, std::uint64_t source, Keep keep, const Costs& costs = {},
                                 std::uint64_t bytes = 0);

/// Returns eps(n), the number of odd values among ceil(n / 2^i) > 1 (model.md section 5.2). From the end of a line of
/// n, keeping the greater part adds it to the path sum n - 1, keeping the smaller part to the volume n - 1.
[[nodiscard]] std::uint64_t odd_halvings(std::uint64_t n);

/// Returns part j of a segment cut into nearly equal parts: the first size % parts are one longer than the others.
[[nodiscard]] inline Segment part_of(const Segment& segment, std::uint64_t j, std::uint64_t parts) {
    const auto begin = [&](std::uint64_t i) {
        return segment.first + i * (segment.size() / parts) + std::min(i, segment.size() % parts);
    };
    return {begin(j), begin(j + 1)};
}

/// Returns the index of the part that contains a position of the segment.
[[nodiscard]] inline std::uint64_t part_with(std::uint64_t position, const Segment& segment, std::uint64_t parts) {
    const std::uint64_t offset = position - segment.first;
    const std::uint64_t shorter = segment.size() / parts;
    const std::uint64_t longer = segment.size() % parts;
    return offset < longer * (shorter + 1) ? offset / (shorter + 1)
                                           : longer + (offset - longer * (shorter + 1)) / shorter;
}

/// Returns the segment for which a position becomes responsible when it is informed, if position 0 starts with all n
/// positions and the first one of a segment gives all parts but its own to their first ones. O(log n).
[[nodiscard]] Segment segment_begun_by(std::uint64_t position, std::uint64_t n, std::uint64_t parts);

/// Returns ceil(log2 x) for x >= 1.
[[nodiscard]] unsigned ceil_log2(std::uint64_t x);

}  // namespace kport
