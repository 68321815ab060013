/// @file search.hpp   The fewest rounds of an operation on a machine, with a schedule and a reason why there is no
///                    shorter one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/bounds/bounds.hpp"
#include "algorithms/planning/round_flow.hpp"
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
    std::optional<double> seconds;  ///< time limit; nothing: none
    /// Limit after which the solver gives up a number of rounds; reproducible, unlike time. Nothing: none.
    std::optional<std::uint64_t> conflicts = {};
    /// The limit for all steps to less volume or work; nothing: `conflicts`.
    std::optional<std::uint64_t> conflicts_for_less = {};
    /// What a round costs, in packets of volume: a front ends where no line of more rounds can be cheaper. Nothing: it is complete.
    std::optional<double> round_price = {};
    const std::atomic<bool>* stop = nullptr;  ///< stops when set
    bool solver = true;                       ///< false: without the solver, as in a build that has none
    bool symmetry = true;                     ///< false: formulas do not use automorphisms of the graph
    bool only_heuristics = false;             ///< no number of rounds is tried
    /// Where the solver writes its refutation of the largest number of rounds (ProofFile); empty: nowhere.
    std::string proof = {};
    /// Called often, with the current activity.
    std::function<void(const std::string& at_work)> progress;
};

/// Why there is no schedule of fewer rounds.
enum class Proof : std::uint8_t {
    none,       ///< unknown
    bound_met,  ///< a lower bound is met
    refuted     ///< one round fewer is impossible by search, or by the theorem on trees
};

struct Found {
    std::vector<Argument> bounds;  ///< the binding one first
    Round bound = 0;               ///< its value
    Round least = 0;               ///< no schedule has fewer rounds
    Round most = 0;                ///< the schedule's
    Proof proof = Proof::none;
    std::string found_by;  ///< "layered", "search": what found the schedule
    std::string refuted_by = {};
    std::optional<Round> proved =
        {};  ///< a file proves that there is no schedule of so many rounds (SearchOptions::proof)
    Schedule schedule;
    Verdict verdict;  ///< of the auditor: lawful
    std::vector<Attempt> attempts;
    double seconds = 0;

    [[nodiscard]] bool exact() const { return least == most; }
};

/// Works in order: lower bounds; heuristics; trees; for T from the bound on, whether there is a schedule of T rounds.
///
/// Callers   one thread at a time for each stop flag; uses one thread.
/// Errors    RequestError as require_valid(); DoesNotFit for a graph that does not fit, and if the question is open and
///           the formula does not fit: then with the partial result; std::system_error if the proof cannot be written.
///           A schedule that the auditor does not pass fails an invariant.
[[nodiscard]] Found fewest_rounds(const Problem& problem, const SearchOptions& options);

/// Where limits leave open whether `found.least` rounds serve, looks for schedules of more, by halving, below `found.most`; formulas of
/// more than twice as many rounds as the least take too long. attempt(rounds) updates `found`.
template <class Attempt>
void look_above_least(const Found& found, const Attempt& attempt) {
    Round high = std::min(found.most, 2 * found.least);
    for (Round low = found.least + 1; low < high;) {
        const Round middle = low + (high - low) / 2;
        (void)attempt(middle);
        if (found.most <= middle)
            high = found.most;
        else
            low = middle + 1;
    }
}

/// Sets of hosts are bits of a word.
inline constexpr NodeId flow_search_nodes_max = 64;

/// Works in order: lower bounds; plans of rounds of flows; for T from the bound on, an exhaustive search of T rounds. `calls`:
/// the messages, with their routes. Found::schedule stays empty.
///
/// Idea     Receivers can be served in a round iff a flow has their number (planning::RoundFlow), and to know more is never
///          worse. So from a set of informed hosts only the bases of the matroid of receivers are tried; hosts that are alike,
///          and sets that automorphisms take to each other, are tried once.
/// Errors   DoesNotFit for more than flow_search_nodes_max hosts.
[[nodiscard]] Found fewest_rounds_by_flows(const Machine& machine, const std::vector<NodeId>& sources,
                                           const SearchOptions& options, std::vector<planning::RoutedCall>& calls);

/// Whether an automorphism of the graph of hosts and switches keeps hosts, switches and capacities.
[[nodiscard]] bool keeps_capacities(const Topology& hosts, std::span<const Node32> image);

}  // namespace kport::search
