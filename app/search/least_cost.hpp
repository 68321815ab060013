/// @file least_cost.hpp   The least rounds, volume and work of any operation, with schedules that cost no more and reasons why none costs less.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/bounds/bounds.hpp"
#include "app/search/messages.hpp"
#include "app/search/question.hpp"
#include "app/search/search.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"

namespace kport::search {

/// What is minimised beside the rounds.
enum class Least : std::uint8_t {
    rounds,       ///< r*
    volume,       ///< of schedules of r* rounds, in packets
    work,         ///< of schedules of r* rounds, in messages
    front,        ///< the least volume for r*, r* + 1, ... rounds
    work_of_all,  ///< of schedules of any number of rounds
};

/// A least value, or where it lies.
struct Interval {
    std::uint64_t least = 0;
    std::uint64_t most = 0;

    [[nodiscard]] bool exact() const { return least == most; }
    bool operator==(const Interval&) const = default;
};

/// Found::most where no schedule was found.
inline constexpr Round rounds_unknown = ~Round{0};

/// The least volume of schedules of so many rounds, and one of these schedules.
struct FrontLine {
    Round rounds = 0;
    Interval volume;
    Proof proof = Proof::none;
    Schedule schedule;
};

/// The question whose answer is also the answer of this one.
struct EqualQuestion {
    Operation operation;
    std::string why;
};

struct LeastCost {
    /// Its schedule is the one of the least volume or work, where that was asked for: of the least work of all schedules, of more rounds.
    Found rounds;
    Collective collective;                ///< of the schedules: in runs where they are read so
    std::optional<Reading> reading = {};  ///< of values
    std::optional<EqualQuestion> equal_to = {};
    std::optional<Interval> volume = {};
    std::optional<Interval> work = {};
    std::optional<Interval> work_of_all = {};
    std::optional<Interval> volume_of_all = {};  ///< the least volume of all schedules; with a front
    Proof proof_of_more = Proof::none;           ///< why no volume or work is less
    std::vector<FrontLine> front = {};
    Round front_rounds = 0;       ///< of no more rounds it is known
    bool front_complete = false;  ///< it ends at the least volume of all schedules

    /// Whether everything that was asked for is known.
    [[nodiscard]] bool exact() const;
};

/// Returns about how many literals the formula has that decides a question: packets, times channels, times rounds.
[[nodiscard]] double size_of_formula(const Question& question, double rounds, Least least);
/// Limits for a search of rounds in about a second, the same on every computer: fewer conflicts on a larger formula. `rounds`: a
/// schedule takes at least so many.
[[nodiscard]] SearchOptions short_search(const Question& question, double rounds);

/// Order of work: equalities, which say whose question is really asked; bounds; heuristics and the catalogue; then formulas of T
/// rounds, for T from the bound on.
///
/// Callers   as fewest_rounds().
/// Errors    as fewest_rounds(), for questions that require_valid() refuses. Schedules that the auditor does not pass fail an invariant.
[[nodiscard]] LeastCost least_cost(const Question& question, Least least, const SearchOptions& options);

/// The largest machine whose bounds are settled.
inline constexpr NodeId settled_nodes_max = 8;

/// The bounds; where it is not known whether one can be reached, a search says so, or between which values the least cost lies.
/// Other machines and questions (settled_nodes_max, wormholes, rules that are not law, more than 16 packets of all nodes) stay
/// as they are.
///
/// Callers   any thread. The same answers on every computer: the solver's conflicts are limited, not its time; about a second.
[[nodiscard]] Bounds settled(const Machine& machine, const Collective& collective, Bounds bounds);

/// Adds broadcast `exact` and its reversal, the reduction, to the catalogue. Call once a process.
void know_exact();

}  // namespace kport::search
