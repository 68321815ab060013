/// @file choose.hpp   Before a run: which algorithm an experiment runs, whether it fits into memory, what is known of its cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/bounds/bounds.hpp"
#include "algorithms/choice.hpp"
#include "app/session/experiment.hpp"
#include "emulator/report/report.hpp"

namespace KPORT_PUBLIC kport {

/// An experiment and the algorithm that runs it.
struct Chosen {
    Experiment experiment;  ///< as asked for, with the options that the choice set besides
    const Algorithm* algorithm = nullptr;
    std::optional<Choice> choice;  ///< nothing where the algorithm was named
    struct TooLarge {
        const Algorithm* algorithm;
        double bytes;  ///< that it needs
    };
    std::vector<TooLarge> too_large;  ///< those that would have been chosen, but do not fit into this computer's memory
    bool only_agreeing = false;       ///< others would run, but may break the rule that results agree

    /// Why this one: Choice::reason(), and which do not fit; empty where it was named or no other applies.
    [[nodiscard]] std::string reason() const;
};

/// The algorithm asked for, or the best that applies. Throws RequestError. It may take tables of the machine's size: admit()
/// the experiment first.
[[nodiscard]] Chosen choose(const Experiment& experiment);

/// Throws RequestError where the catalogue has no algorithm for the operation.
void require_algorithms(const Operation& operation);

/// Throws RequestError, in the words of choose(), where no algorithm runs the experiment, however much memory there were.
void require_runnable(const Experiment& experiment);

/// For callers that run nothing: throws RequestError, in the words of a run, for an algorithm that does not run as asked and for
/// options.keep or options.dimensions that no algorithm takes here. No algorithm at all is no error.
void require_known_options(const Experiment& experiment);

/// The peak memory of a run of the algorithm by one process, an upper estimate; a double, because what is asked for may be absurdly
/// large. Without an algorithm: the part that every run takes.
[[nodiscard]] double bytes_needed(const Experiment& experiment, const Algorithm* algorithm);

/// Whether such a run fits into all of this computer's memory, what is left of this process's own limits, and what the experiment may
/// take: the same answer at any time, whatever else runs.
[[nodiscard]] bool may_fit(const Experiment& experiment, const Algorithm& algorithm);
/// "21.9 GiB", "0.082 GiB".
[[nodiscard]] std::string gib(double bytes);

/// What executes the nodes of such a run, as the estimate takes it. With `is_recorded` its transfers are recorded.
[[nodiscard]] Execution execution_of(const Experiment& experiment, const Algorithm* algorithm, bool is_recorded);

/// Throws DoesNotFit, with the need and the available memory, unless such a run fits together with `besides` other bytes of each
/// process; what those on this computer need is counted together. `is_recorded`: its transfers are recorded. Also if its counts would exceed 64 bits.
void admit(const Experiment& experiment, const Algorithm* algorithm, double besides = 0, bool is_recorded = false);

/// Lower bounds in the form of a report.
[[nodiscard]] BoundLines bound_lines(const Bounds& bounds);

/// The lower bounds of an experiment. Runs nothing, and takes no memory of the machine's size. Throws RequestError, also for
/// options that no algorithm takes here (require_known_options()).
[[nodiscard]] Bounds bounds(const Experiment& experiment);
/// The lower bounds of a valid experiment. For a scan in preorder only the values: what is known to be reached concerns
/// scans in the order of the numbers.
[[nodiscard]] Bounds known_bounds(const Experiment& experiment);

/// Bounds and cost, derived.
struct Explanation {
    Bounds bounds;
    Chosen chosen;                        ///< without algorithm where none runs as asked and none was named
    std::string why_none;                 ///< then: why
    ExpectedCost cost;                    ///< of the chosen one
    std::vector<std::string> derivation;  ///< of the cost, one step a line
};

/// Runs nothing but what the choice rehearses. Throws RequestError.
[[nodiscard]] Explanation explain(const Experiment& experiment);

}  // namespace kport
