/// @file arc.hpp   Contributions that follow one another around the nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "emulator/schedule/packet_set.hpp"
#include "emulator/schedule/transfer.hpp"

namespace KPORT_PUBLIC kport {

/// The contributions first, first + 1, ..., `count` of them, modulo N. Partial results of most algorithms sum up an
/// arc.
struct Arc {
    std::uint32_t first = 0;
    std::uint32_t count = 0;

    bool operator==(const Arc&) const = default;
};

// How arcs advance, member by member and modulo 2^32.
[[nodiscard]] constexpr Arc operator+(const Arc& a, const Arc& b) { return {a.first + b.first, a.count + b.count}; }
[[nodiscard]] constexpr Arc operator-(const Arc& a, const Arc& b) { return {a.first - b.first, a.count - b.count}; }
[[nodiscard]] constexpr Arc operator*(const Arc& a, std::uint32_t times) { return {a.first * times, a.count * times}; }

/// Returns disjoint contributions of row 0 as an arc; nothing if they are not an arc, or if finding out takes more than
/// O(1).
[[nodiscard]] inline std::optional<Arc> arc_of(std::span<const PacketBlock> contributions, std::uint32_t nodes) {
    const PacketBlock& one = contributions.front();
    if (contributions.size() == 1 && one.first == 0 && one.count == 2 && one.stride == nodes - 1)
        return Arc{nodes - 1, 2};  // the last and the first make one progression
    if (one.stride != 1 || contributions.size() > 2) return std::nullopt;
    if (contributions.size() == 1) return Arc{one.first, one.count};
    const PacketBlock& other = contributions.back();
    if (other.stride != 1) return std::nullopt;
    if (other.first == 0 && one.first + one.count == nodes) return Arc{one.first, one.count + other.count};
    if (one.first == 0 && other.first + other.count == nodes) return Arc{other.first, one.count + other.count};
    return std::nullopt;
}

/// Returns the contributions of a value as an arc; a result counts as the arc of packet N.
[[nodiscard]] inline std::optional<Arc> arc_of(const ValueHop& hop, std::uint32_t nodes) {
    if (hop.around == 0 && hop.contributions.stride == 1) [[likely]]
        return Arc{hop.contributions.first, hop.contributions.count};
    const FewBlocks few = hop.blocks();
    return arc_of(few.blocks(), nodes);
}

[[nodiscard]] inline PacketSet contributions_of(const Arc& arc, std::uint32_t nodes) {
    if (arc.count <= nodes - arc.first) return PacketSet::range(arc.first, arc.first + arc.count);
    PacketSet all = PacketSet::range(arc.first, nodes);
    all.add(PacketSet::range(0, arc.count - (nodes - arc.first)));
    return all;
}

[[nodiscard]] inline bool are_same(const Arc& a, const Arc& b, std::uint32_t nodes) {
    return a.count == b.count && (a.first == b.first || a.count == nodes);
}

/// Returns the union, where one arc begins behind the other and they are disjoint.
[[nodiscard]] inline std::optional<Arc> joined(const Arc& a, const Arc& b, std::uint32_t nodes) {
    if (a.count > nodes - b.count) return std::nullopt;
    const auto ends = [&](const Arc& arc) {
        const std::uint32_t left = nodes - arc.first;
        return arc.count < left ? arc.first + arc.count : arc.count - left;
    };
    if (ends(a) == b.first) return Arc{a.first, a.count + b.count};
    if (ends(b) == a.first) return Arc{b.first, a.count + b.count};
    return std::nullopt;
}

}  // namespace kport
