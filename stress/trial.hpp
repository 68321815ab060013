/// @file trial.hpp   One case run in every way that must make no difference, and judged by everyone who can.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/run_with_fault.hpp"
#include "stress/subject.hpp"

namespace kport {

/// What can be wrong with a subject, or with kport.
enum class Flaw : std::uint8_t {
    breaks_rule,          ///< the auditor says so
    waits_for_ever,       ///< nodes wait for what never comes
    not_delivered,        ///< it ends, and somebody lacks what is promised
    not_optimal,          ///< it takes more rounds than the lower bound (only if asked for)
    throws,               ///< a node program, or kport, fails by an exception
    below_bound,          ///< it costs less than is possible: a count or a bound is wrong
    not_as_derived,       ///< it costs something else than the catalogue derives
    report_differs,       ///< another engine, another order or another number of threads gives another report
    judges_disagree,      ///< auditor, umpire and replay do not agree about what moved
    fault_slips_through,  ///< a fault that was put in is not found, or not as what it is
};
/// "breaks a rule", "gives another report": as in "smallest machine on which it ...".
[[nodiscard]] std::string_view text(Flaw flaw);

/// How a run was made that went wrong, for the one who wants to see it again.
struct Repetition {
    EngineKind engine = EngineKind::lockstep;
    unsigned threads = 1;
    std::optional<std::uint64_t> order;  ///< the seed of the order in which nodes ran
    std::optional<Injection> injection;
};

struct Failure {
    Flaw flaw = Flaw::breaks_rule;
    std::vector<std::string> story;  ///< what was found: a headline, then lines
    Repetition how;
    Round round = 0;  ///< the first round in which it shows; 0: at the end
};

/// What was tried so far.
struct Coverage {
    std::uint64_t cases = 0;
    std::uint64_t runs = 0;
    std::uint64_t nodes = 0;
    std::uint64_t messages = 0;
    std::uint64_t rounds = 0;
    std::uint64_t orders = 0;    ///< runs in an order of their own
    std::uint64_t opinions = 0;  ///< schedules that the umpire judged
    std::uint64_t faults = 0;    ///< put in
    std::uint64_t caught = 0;    ///< of these named by the auditor as what they are
    std::uint64_t harmless = 0;  ///< of these lawful, as the umpire says too
    std::map<std::string, std::uint64_t> by_subject;
    std::map<std::string, std::uint64_t> by_family;
};

/// Everything that is asked of a case.
struct Trials {
    unsigned threads_max = 4;
    bool optimal = false;                     ///< the bound of the rounds is to be met
    bool named_by_user = false;               ///< what breaks a rule by design is a flaw too
    std::optional<Injection> injection;       ///< its seed is the case's
    const std::atomic<bool>* stop = nullptr;  ///< set by anyone: the case at hand is given up, and nothing told of it
};

/// Runs the case. By chance: on one thread or several, in lockstep or free, in the usual order or another, with pauses.
/// Nothing: no flaw was found.
///
/// Cost   some five to eight runs.
[[nodiscard]] std::optional<Failure> tried(const Subject& subject, const Case& c, const Trials& trials,
                                           std::uint64_t seed, Coverage& coverage);

}  // namespace kport
