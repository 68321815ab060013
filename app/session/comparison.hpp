/// @file comparison.hpp   Every algorithm that applies, on one machine or on many: chosen, admitted, run.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/run.hpp"

namespace KPORT_PUBLIC kport {

/// An algorithm of the operation that does not run as asked.
struct Misfit {
    std::string_view algorithm;
    std::string why;
    bool if_named = false;  ///< it breaks a rule, and runs only where Experiment::algorithm names it
};

/// An algorithm whose code threw an exception, so that there is no report of it.
struct FailedRun {
    std::string_view algorithm;
    std::string why;  ///< "a node program failed: node 3 in round 1: ..."
};

/// The algorithms of one experiment; those that it names alone, if it names any.
struct Comparison {
    Experiment experiment;
    std::vector<const Algorithm*> fitting;
    std::vector<Misfit> misfits;
    std::vector<Report> reports;      ///< of the first of `fitting`, in their order, without those that failed
    std::vector<FailedRun> failures;  ///< of those, in their order
    bool stopped = false;             ///< some algorithm was not run, or not to its end
    /// Stopped if any run was stopped or failed, else the worst ending.
    Ending ending = Ending::lawful;
};

/// The code of an algorithm failed in another process. The text completes "NAME: ...".
class OutOfProcessError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Runs the algorithms of a comparison whose code only another process has. One thread.
class OutOfProcess {
  public:
    virtual ~OutOfProcess() = default;
    /// Whether another process has the code of this algorithm.
    [[nodiscard]] virtual bool has(const Algorithm& row) const = 0;
    /// As misfit_of(). Throws OutOfProcessError.
    [[nodiscard]] virtual std::optional<std::string> misfit(const Experiment& experiment, const Algorithm& row) = 0;
    /// As run(). Throws OutOfProcessError.
    [[nodiscard]] virtual Outcome run(const Chosen& chosen, const Caller& caller) = 0;
};

/// Looks at every algorithm, then runs those that apply, one after the other. Errors as run(), but an exception of an algorithm's own
/// code, which is among the failures; none where no algorithm applies: the misfits say why. `out_of_process`: null if all code is in this process.
[[nodiscard]] Comparison compare(const Experiment& experiment, const Caller& caller = {},
                                 OutOfProcess* out_of_process = nullptr);

/// Whether the experiment names this algorithm of its operation, by itself or among others.
[[nodiscard]] bool is_named(const Experiment& experiment, const Algorithm& row);
/// Whether it restricts the comparison to the algorithms that it names. Throws RequestError for a name that its operation does not
/// have.
[[nodiscard]] bool any_named(const Experiment& experiment);

/// "no algorithm of scan runs on ..."
[[nodiscard]] std::string no_algorithm_text(const Experiment& experiment);

/// The comparisons of many experiments.
struct Comparisons {
    std::vector<Comparison> machines;  ///< of the first experiments, in their order: those with a report
    std::size_t done = 0;              ///< so many were compared to their end
    bool stopped = false;              ///< not all were
    std::exception_ptr failure;        ///< what ended a run, and the others with it; null: nothing
    Ending ending = Ending::lawful;    ///< stopped if any run was stopped, else the worst ending
};

/// Looks at every machine before the first run, then runs them one after the other. Throws RequestError where a machine has no
/// algorithm, and what compare() throws before the first run; what ends a run is in the result, beside the reports before it.
///
/// tell   Called before each experiment is looked at (null), and before each run.
[[nodiscard]] Comparisons compare(
    std::span<const Experiment> experiments, const Caller& caller = {},
    const std::function<void(std::size_t experiment, const Algorithm* algorithm)>& tell = {},
    OutOfProcess* out_of_process = nullptr);

}  // namespace kport
