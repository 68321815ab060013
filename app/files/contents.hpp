/// @file contents.hpp   What stands in a slot of memory: multisets of contributions, in runs.
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

/// A multiset of contributions (rank, chunk). Multiplicity is kept as once or more than once: folding can only raise it.
struct Contents {
    bool known = true;                       ///< false: computed from a slot that no step wrote
    std::vector<ContributionRun> runs = {};  ///< by chunk and rank, disjoint, as few as possible
};

/// Contents are shared and never change; null: nothing stands there.
using Value = std::shared_ptr<const Contents>;

[[nodiscard]] Value value_of(const ContributionRun& run);
[[nodiscard]] Value unknown_value();
/// Their sum as multisets; unknown if one of them is. O(runs of both).
[[nodiscard]] Value sum_of(const Value& a, const Value& b);
[[nodiscard]] bool is_exactly(const Value& value, const ContributionRun& run);

/// "chunk 1 of rank 0", "chunk 2 of ranks 0 to 3, chunk 2 of rank 5 twice", "nothing".
[[nodiscard]] std::string in_words(const Value& value);
[[nodiscard]] std::string in_words(const ContributionRun& run);

}  // namespace kport::slots
