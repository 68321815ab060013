/// @file node_marks.hpp   A bit for each node.
#pragma once

#include <cstdint>

#include "emulator/base/huge_array.hpp"
#include "emulator/base/node_share.hpp"
#include "emulator/base/types.hpp"

namespace kport {

/// Tells whether a node of a share occurs twice among the receivers of a round. Bits of a block of nodes stand in
/// the cache, where a word of each node would be memory that every round walks through.
///
/// Callers   one task.
class NodeMarks {
  public:
    NodeMarks() = default;
    NodeMarks(NodeId nodes, const NodeShare& share) : share_(share), words_(share.places(nodes) / word_bits + 1) {}

    /// Whether a node occurs twice. `for_each(visit)` calls visit(v) for the nodes, in the same order each time. O(nodes visited).
    template <class ForEach>
    [[nodiscard]] bool has_twice(ForEach&& for_each) {
        bool twice = false;
        for_each([&](NodeId v) { twice |= add(v); });
        for_each([&](NodeId v) { remove(v); });
        return twice;
    }

  private:
    static constexpr std::uint64_t word_bits = 64;

    /// True if the node is in the set already.
    [[nodiscard]] bool add(NodeId v) {
        const std::uint64_t place = share_.place(v);
        std::uint64_t& word = words_[place / word_bits];
        const std::uint64_t bit = std::uint64_t{1} << place % word_bits;
        const bool was_there = (word & bit) != 0;
        word |= bit;
        return was_there;
    }
    void remove(NodeId v) {
        const std::uint64_t place = share_.place(v);
        words_[place / word_bits] &= ~(std::uint64_t{1} << place % word_bits);
    }

    NodeShare share_;
    HugeArray<std::uint64_t> words_;  // all 0 between two questions
};

}  // namespace kport
