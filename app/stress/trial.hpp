/// @file trial.hpp   One case, run in every way that must give the same report, and checked by every judge.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/run_with_fault.hpp"
#include "app/stress/flaws.hpp"

namespace KPORT_PUBLIC kport {

/// The settings of a failing run, to repeat it.
struct Repetition {
    EngineKind engine = EngineKind::lockstep;
    unsigned threads = 1;
    NodeId partition_nodes = partition_nodes_default;
    std::optional<std::uint64_t> order;  ///< seed of the order in which nodes ran
    std::optional<Injection> injection;
    unsigned ranks = 1;
    Round max_rounds = 0;  ///< the limit, if it shows the failure; else 0
};

struct Failure : Flawed {
    Repetition how;
    bool run_shows = false;  ///< a single run made as `how` says shows it; else it takes a whole trial
};

/// Statistics of the cases so far.
struct Coverage {
    std::uint64_t cases = 0;
    std::uint64_t runs = 0;
    std::uint64_t nodes = 0;
    std::uint64_t messages = 0;
    std::uint64_t rounds = 0;
    std::uint64_t orders = 0;    ///< runs in a random order
    std::uint64_t deals = 0;     ///< runs with small partitions
    std::uint64_t by_ranks = 0;  ///< runs by several ranks, processes or threads
    std::uint64_t retold = 0;    ///< repetitions of a recorded schedule: replayed, followed, moved without programs
    std::uint64_t opinions = 0;  ///< schedules that the umpire judged
    std::uint64_t faults = 0;    ///< injected
    std::uint64_t caught = 0;    ///< of these, reported correctly by the auditor
    std::uint64_t harmless = 0;  ///< of these, not reported; they need not break a rule
    std::map<std::string, std::uint64_t> by_subject;
    std::map<std::string, std::uint64_t> by_family;
    std::map<Executions, std::uint64_t> by_executions;  ///< runs that compared bytes, or moved signals
    std::map<std::string, Executions> of_rows;          ///< of them, by "operation algorithm" of the catalogue

    /// Returns how many of those runs an execution took part in.
    [[nodiscard]] std::uint64_t runs_by(Execution execution) const;
    /// Returns the rows of `of_rows` without such a run.
    [[nodiscard]] std::vector<std::string> missing_rows() const;
};

/// The options of a trial.
struct Trials {
    unsigned threads_max = 4;  ///< at least 1
    Expectations expectations;
    std::optional<Injection> injection;       ///< its seed is that of the case's contributions, as in a run
    const std::atomic<bool>* stop = nullptr;  ///< set by any thread: the current case is given up without a result
    /// As RunOptions::computing, with the machine: such a case cannot be given up. Null: not watched.
    std::function<void(const Computing&, const Topology&)> computing = {};
    /// Null: there is one. Else each case is also run by all of them; all call with equal arguments, and the first one
    /// decides.
    Ranks* ranks = nullptr;
};

/// Runs the case. At random: on one thread or several, in lockstep or free, in small partitions, in the usual order or
/// another, in small rounds or full ones, with pauses, by ranks. What moved is judged again, and moved again. Returns
/// nothing if no flaw was found.
///
/// Cost   some six to twelve runs.
[[nodiscard]] std::optional<Failure> tried(const Subject& subject, const Case& c, const Trials& trials,
                                           std::uint64_t seed, Coverage& coverage);

}  // namespace kport
