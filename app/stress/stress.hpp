/// @file stress.hpp   Looks for the smallest machine on which a program breaks.
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
    NodeId nodes_max = 64;               ///< machines drawn have at most so many nodes
    std::shared_ptr<const Topology> on;  ///< the graph of all machines; null: it is drawn
    std::optional<std::uint64_t> cases;  ///< ends after so many; nothing: no limit
    std::optional<std::uint64_t>
        only;  ///< tries this case of the seed alone, the first is 1; nothing: all, one after the other
    std::optional<double> seconds = 10;  ///< ends after so long; nothing: no limit
    bool commutative = false;  ///< of a program of one's own that reduces: non-commutative operators are left out
    /// Of a program that folds by operators of its user: one of these is drawn, and none of the table.
    std::vector<Reduction> reductions = {};
    Trials trials;
    const std::atomic<bool>* stop = nullptr;  ///< set by anyone: gives up the case at hand
    /// Called now and then, with what was covered and how many cases the shrinking has tried (0: it has not begun).
    std::function<void(const Coverage&, std::uint64_t)> progress;
};

/// What broke, on the smallest machine found.
struct Breakage {
    Subject subject;
    Case c;
    Failure failure;
    Case found_on;             ///< where it was seen first
    std::uint64_t seed = 0;    ///< StressOptions::seed
    std::uint64_t number = 0;  ///< of that case: StressOptions::only tries it again
    std::uint64_t tries = 0;   ///< cases tried to make it smaller
    bool smallest = false;     ///< no smaller machine of the families fails in this way

    /// "mesh:1x3, 1-port full duplex, store-and-forward, from node 1, 8-byte packets".
    [[nodiscard]] std::string machine() const;
    /// A paragraph for people: what it does, where, the story, and how far it was shrunk.
    [[nodiscard]] std::string text() const;
};

struct StressOutcome {
    std::optional<Breakage> breakage;  ///< nothing: no flaw was found
    Coverage coverage;
    bool stopped = false;
    double seconds = 0;
};

/// Puts subjects under stress: random machines, each tried() with a random one of those that run there. Ends with the
/// first flaw, shrunk to the smallest machine on which it shows.
///
/// The same seed draws the same cases; how many fit into a time does not follow from it.
/// Errors   RequestError where no machine of that size suits any subject.
[[nodiscard]] StressOutcome stress(const std::vector<Subject>& subjects, const Operation& operation,
                                   const StressOptions& options);

/// The same of a program of one's own: on which machine does it break a rule, fail to deliver, wait for ever, or (if
/// Expectations::optimal) take more rounds than the lower bound? A reduction is to hold for all operators, concatenation too,
/// unless StressOptions::commutative; or for those of the user's own (StressOptions::reductions).
///
///     const StressOutcome outcome = stress(Operation::broadcast, [](const Machine& machine, const Collective& collective) {
///         return Start{[=](Node& self) { return my_broadcast(self, collective.root); }, {collective.root}};
///     });
///     if (outcome.breakage) fmt::print("{}\n", outcome.breakage->text());
///
/// `misfit`: why it cannot run on a machine; null: it is to run on all.
[[nodiscard]] StressOutcome stress(const Operation& operation, ProgramFor program, const StressOptions& options = {},
                                   MisfitFor misfit = {});

/// All algorithms of the catalogue, of all operations, and random traffic.
[[nodiscard]] StressOutcome stress_catalogue(const StressOptions& options);

}  // namespace kport
