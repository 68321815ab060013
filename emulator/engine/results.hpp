/// @file results.hpp   The results of a reduction, checked against a sequential fold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/audit/auditor.hpp"
#include "emulator/base/huge_array.hpp"
#include "emulator/node/reduction.hpp"
#include "emulator/schedule/promise.hpp"

namespace kport {

/// The contributions folded one after the other: what a reduction must give, however it was bracketed.
///
/// Callers   one task.
class SequentialFold {
  public:
    explicit SequentialFold(const Folder& folder) : folder_(folder) {}

    /// Folds the next node's contribution in.
    void add_next();
    /// The first byte of a result that differs from the fold so far; nothing if none does. Sums of doubles that were given
    /// may differ by their rounding.
    [[nodiscard]] std::optional<std::uint64_t> first_difference(std::span<const std::byte> result) const;

  private:
    [[nodiscard]] bool is_rounded_to(std::span<const std::byte> result) const;

    const Folder& folder_;
    NodeId next_ = 0;
    std::vector<std::byte> bytes_;
    double magnitude_ = 0;  ///< of the doubles given so far
    double rounding_ = 0;   ///< by how much another bracketing may differ
};

/// Folds the contributions one after the other and compares every node's result with it, byte for byte (sums of doubles that were
/// given: up to rounding); what differs is reported. Returns the first results as text (RunResult::results). O(N) folds, one task.
[[nodiscard]] std::vector<std::string> verify_results(const Folder& folder, const Promise& promise, NodeId nodes,
                                                      const HugeArray<Body*>& results, Auditor& auditor);

}  // namespace kport
