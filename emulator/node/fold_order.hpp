/// @file fold_order.hpp   In which order, and on which side, a node folds the values that come to it; brackets as values, which tell it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "emulator/base/types.hpp"
#include "emulator/node/bundle.hpp"
#include "emulator/node/reduction.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

[[nodiscard]] inline std::uint32_t lowest_of(std::span<const PacketBlock> contributions) {
    std::uint32_t lowest = contributions.front().first;
    for (const PacketBlock& block : contributions) lowest = std::min(lowest, block.first);
    return lowest;
}
[[nodiscard]] inline std::uint32_t lowest_of(const Value& value) {
    return value.is_element() ? value.element().lowest() : lowest_of(value.body()->blocks());
}

/// The value nearest to the node's own contribution is folded first: so the node's value stays a contiguous range of
/// nodes where possible, as a non-commutative operator needs. Of two as near, below and above, the one below: the order of
/// folds decides how sums of doubles are rounded, and must not depend on the order in which a schedule lists its transfers.
[[nodiscard]] inline std::pair<std::uint64_t, std::uint32_t> place_in_order(NodeId v, std::uint32_t lowest) {
    return {lowest < v ? v - lowest : lowest - v, lowest};
}

/// left op right is the fold of a value that comes and of what the node has, by the lowest contributions of both: what comes
/// stands left if it begins before.
[[nodiscard]] inline bool stands_left(std::uint32_t lowest_that_comes, std::uint32_t lowest_here) {
    return lowest_that_comes < lowest_here;
}

/// What two elements of a segment have together, if one's contributions go on where the other's end and they have nothing in common;
/// `may_go_around`: also from the last node to the first. Without bits and seal.
[[nodiscard]] inline std::optional<Element> side_by_side(const Element& a, const Element& b, bool may_go_around,
                                                         NodeId nodes) {
    const auto of = [&](const Progression& contributions, std::uint32_t around) {
        Element both(contributions, 0);
        both.segment = a.segment;
        both.around = around;
        return both;
    };
    if (a.segment != b.segment) return std::nullopt;
    if ((a.around | b.around) == 0) {
        if (neighbours(a.contributions, b.contributions))
            return of(joined_neighbours(a.contributions, b.contributions), 0);
        const bool a_begins = b.contributions.first == 0;
        const Progression& high = a_begins ? a.contributions : b.contributions;
        const Progression& low = a_begins ? b.contributions : a.contributions;
        const bool go_around = may_go_around && low.first == 0 && low.count < high.first && low.stride == 1 &&
                               high.stride == 1 && std::uint64_t{high.first} + high.count == nodes;
        return go_around ? std::optional(of(high, low.count)) : std::nullopt;
    }
    const Element& around = a.around != 0 ? a : b;
    const Element& other = a.around != 0 ? b : a;
    const Progression& all = around.contributions;
    const Progression& some = other.contributions;
    const std::uint64_t end = std::uint64_t{some.first} + some.count;
    const bool apart = other.around == 0 && some.stride == 1 && around.around <= some.first && end <= all.first;
    if (!apart) return std::nullopt;
    if (around.around == some.first && end == all.first) return of({0, 1, static_cast<std::uint32_t>(nodes)}, 0);
    if (end == all.first) return of(joined_neighbours(some, all), around.around);
    return around.around == some.first ? std::optional(of(all, static_cast<std::uint32_t>(end))) : std::nullopt;
}

/// The binary tree of the folds of a result, its leaves contributions: 128 bits that follow from it, and its height. Two trees that
/// differ have the same bits with probability 2^-128.
struct Bracket {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::uint64_t height = 0;
    std::uint64_t unused = 0;  ///< folds are cut into pieces at powers of two

    bool operator==(const Bracket&) const = default;
};

/// Returns a reduction whose values are brackets instead of what `reduction` folds, by an operator with the same properties: a run
/// with it makes the same messages and folds. A packet holds one bracket, whatever its size.
[[nodiscard]] Reduction brackets_of(const Reduction& reduction);
/// Whether the values are brackets.
[[nodiscard]] bool folds_brackets(const Reduction& reduction);

}  // namespace kport
