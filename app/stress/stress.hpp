/// @file stress.hpp   Searches for the smallest machine on which a program fails.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/stress/trial.hpp"

namespace KPORT_PUBLIC kport {

struct StressOptions {
    std::uint64_t seed = 1;
    NodeId nodes_max = 64;               ///< most nodes of machines drawn
    std::shared_ptr<const Topology> on;  ///< the graph of all machines; null: it is drawn
    std::optional<std::uint64_t> cases;  ///< number of cases; nothing: no limit
    std::optional<std::uint64_t> only;   ///< tries only this case of the seed, from 1; nothing: all in turn
    std::optional<double> seconds = 10;  ///< time limit; nothing: none
    bool commutative = false;            ///< for a user's program that reduces: omits non-commutative operators
    /// User-defined reductions: one of these is drawn, and no built-in one.
    std::vector<Reduction> reductions = {};
    Trials trials;
    const std::atomic<bool>* stop = nullptr;  ///< set by any thread: gives up the current case
    /// Called from time to time, with what was covered and the number of cases tried by shrinking (0: it has not
    /// begun).
    std::function<void(const Coverage&, std::uint64_t)> progress;
};

/// The flaw, on the smallest machine found.
struct Breakage {
    Subject subject;
    Case c;
    Failure failure;
    Case found_on;             ///< the case that failed first
    std::uint64_t seed = 0;    ///< StressOptions::seed
    std::uint64_t number = 0;  ///< number of that case: StressOptions::only repeats it
    std::uint64_t tries = 0;   ///< cases tried to make it smaller
    bool smallest = false;     ///< no smaller machine of the families fails in this way

    /// Returns "mesh:1x3, 1-port full duplex, store-and-forward, from node 1, 8-byte packets".
    [[nodiscard]] std::string machine() const;
    /// Returns a paragraph for people: the flaw, the machine, the story, and how far it was shrunk.
    [[nodiscard]] std::string text() const;
};

struct StressOutcome {
    std::optional<Breakage> breakage;  ///< nothing: no flaw was found
    Coverage coverage;
    bool stopped = false;
    double seconds = 0;
};

/// Puts subjects under stress: random machines, each tried() with a random subject that runs there. Ends with the first
/// flaw, shrunk to the smallest machine on which it shows.
///
/// Cases depend on the seed only; their number also on the time limit.
/// Errors   RequestError where no machine of that size suits any subject.
[[nodiscard]] StressOutcome stress(const std::vector<Subject>& subjects, const Operation& operation,
                                   const StressOptions& options);

/// Stresses a user's program: on which machine does it break a rule, fail to deliver, wait for ever, or (if
/// Expectations::optimal) take more rounds than the lower bound? A reduction must work for all operators, concatenation
/// included, unless StressOptions::commutative; or for user-defined ones (StressOptions::reductions).
///
///     const StressOutcome outcome = stress(Operation::broadcast, [](const Machine& machine, const Collective& collective) {
///         return Start{[=](Node& self) { return my_broadcast(self, collective.root); }, {collective.root}};
///     });
///     if (outcome.breakage) fmt::print("{}\n", outcome.breakage->text());
///
/// `misfit`: why it cannot run on a machine; null: it must run on all.
[[nodiscard]] StressOutcome stress(const Operation& operation, ProgramFor program, const StressOptions& options = {},
                                   MisfitFor misfit = {});

/// Stresses all algorithms of the catalogue, and random traffic.
[[nodiscard]] StressOutcome stress_catalogue(const StressOptions& options);

}  // namespace kport
