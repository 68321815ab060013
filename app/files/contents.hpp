/// @file contents.hpp   The contents of a memory slot: multisets of contributions, as runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/base/types.hpp"

namespace kport::slots {

/// Chunk `chunk` of the ranks first .. last: each once, or each more than once.
struct ContributionRun {
    std::uint64_t chunk = 0;
    NodeId first = 0;
    NodeId last = 0;
    bool repeated = false;

    friend bool operator==(const ContributionRun&, const ContributionRun&) = default;
};

/// A multiset of contributions (rank, chunk). Multiplicity is stored as one or more than one: combining can only raise
/// it.
struct Contents {
    bool known = true;                       ///< false: computed from a slot that no step wrote
    std::vector<ContributionRun> runs = {};  ///< by chunk and rank, disjoint, as few as possible
};

/// Contents are shared and immutable; null: the slot is empty.
using Value = std::shared_ptr<const Contents>;

[[nodiscard]] Value value_of(const ContributionRun& run);
[[nodiscard]] Value unknown_value();
/// Returns their sum as multisets; unknown if one of them is. O(runs of both).
[[nodiscard]] Value sum_of(const Value& a, const Value& b);
[[nodiscard]] bool is_exactly(const Value& value, const ContributionRun& run);

/// Returns "chunk 1 of rank 0", "chunk 2 of ranks 0 to 3, chunk 2 of rank 5 twice", "nothing".
[[nodiscard]] std::string in_words(const Value& value);
[[nodiscard]] std::string in_words(const ContributionRun& run);

}  // namespace kport::slots
