/// @file tolerance.hpp   How many rounds an operation takes at worst when parts of the machine break.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/search/question.hpp"
#include "emulator/topology/broken.hpp"

namespace kport::search {

/// Which sets of parts may break, and what is asked of each.
struct ToleranceQuestion {
    Question question;                         ///< on the whole machine
    unsigned links = 1;                        ///< broken links of a set
    unsigned nodes = 0;                        ///< broken nodes of a set; the source of the question is none of them
    std::optional<std::uint64_t> sample = {};  ///< so many random sets; nothing: all
    std::uint64_t seed = 1;
    /// Returns the rounds of an algorithm on what is left; called by several threads at once, and first for the whole machine.
    /// Empty: the fewest rounds of all schedules are searched for.
    std::function<Round(const Question& left)> rounds_of = {};
};

struct ToleranceOptions {
    unsigned threads = 1;
    std::optional<double> seconds = {};                          ///< time limit; nothing: none
    const std::atomic<bool>* stop = nullptr;                     ///< ends the search when set
    std::function<void(const std::string& text)> progress = {};  ///< called often, by the thread that asks
};

struct Tolerance {
    std::uint64_t sets = 0;        ///< that were looked at
    std::uint64_t sets_apart = 0;  ///< whose removal leaves nodes that cannot reach each other
    Round rounds_before = 0;       ///< on the whole machine
    /// The most rounds over the other sets lie between these two; both are 0 if there are none.
    Round worst_least = 0;
    Round worst_most = 0;
    std::optional<BrokenParts> apart = {};  ///< the first set that parts the nodes
    std::optional<BrokenParts> worst = {};  ///< the first set that takes the most rounds, where these are known
    std::uint64_t kinds = 0;     ///< sets that are left when those equal up to an automorphism are asked once
    std::uint64_t searched = 0;  ///< of these: sets whose bounds did not settle them

    [[nodiscard]] bool exact() const { return worst_least == worst_most; }
};

/// The most sets that are looked at.
inline constexpr std::uint64_t tolerance_sets_max = 100'000;

/// Looks at every set. Sets that an automorphism takes to each other are asked once; a set is asked for more than bounds
/// and quick schedules only if it may take more rounds than the worst set known.
///
/// Callers  one thread; uses `threads`.
/// Errors   RequestError for more than tolerance_sets_max sets; and as least_cost() or rounds_of().
[[nodiscard]] Tolerance tolerance(const ToleranceQuestion& asked, const ToleranceOptions& options);

}  // namespace kport::search
