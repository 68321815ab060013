/// @file search.hpp   The fewest rounds of an operation on a machine, with a schedule that takes as many and a reason why none takes fewer.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/bounds/bounds.hpp"
#include "app/search/exhaustive.hpp"
#include "app/search/problem.hpp"
#include "emulator/audit/verdict.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport::search {

/// A number of rounds that was tried.
struct Attempt {
    Round rounds = 0;
    Answer answer = Answer::stopped;
    std::uint64_t variables = 0;  ///< of the formula; 0 without a solver
    std::uint64_t clauses = 0;
    std::uint64_t conflicts = 0;  ///< of the solver
    double seconds = 0;
};

struct SearchOptions {
    std::optional<double> seconds;  ///< after which it stops; nothing: never
    /// After which the solver gives a number of rounds up: the same in every run, as no time is. Nothing: never.
    std::optional<std::uint64_t> conflicts = {};
    const std::atomic<bool>* stop = nullptr;  ///< stops when set
    bool solver = true;                       ///< false: without it, as in a build that has none
    bool symmetry = true;          ///< false: schedules that automorphisms make of each other are not told apart
    bool only_heuristics = false;  ///< no number of rounds is tried
    /// Where the solver proves what it refutes, of the most rounds (ProofFile); empty: nowhere.
    std::string proof = {};
    /// Called often, with what is going on.
    std::function<void(const std::string& at_work)> progress;
};

/// Why there is no schedule of fewer rounds.
enum class Proof : std::uint8_t {
    none,       ///< nobody knows
    bound_met,  ///< a lower bound is met
    refuted     ///< one round fewer is impossible by search, or by the theorem on trees
};

struct Found {
    std::vector<Argument> bounds;  ///< the one that binds first
    Round bound = 0;               ///< its value
    Round least = 0;               ///< no schedule has fewer rounds
    Round most = 0;                ///< the schedule's
    Proof proof = Proof::none;
    std::string found_by;  ///< "layered", "search": what found the schedule
    std::string refuted_by = {};
    std::optional<Round> proved =
        {};  ///< a file says why there is no schedule of so many rounds (SearchOptions::proof)
    Schedule schedule;
    Verdict verdict;  ///< of the auditor: lawful
    std::vector<Attempt> attempts;
    double seconds = 0;

    [[nodiscard]] bool exact() const { return least == most; }
};

/// Order of work: lower bounds; heuristics; trees; for T from the bound on, whether there is a schedule of T rounds.
///
/// Callers   one thread at a time for each stop; uses one thread.
/// Errors    RequestError as require_valid(); DoesNotFit for a graph that does not fit, and where the answer is open and the formula
///           does not fit: then with what is known; std::system_error where the proof cannot be written. A schedule that the auditor does not pass fails an invariant.
[[nodiscard]] Found fewest_rounds(const Problem& problem, const SearchOptions& options);

}  // namespace kport::search
