/// @file choose_execution.hpp   Chooses what executes a run and estimates what that keeps of a node, before anything is allocated. Tries a
///                              fast run, which has a result or fails: then the full run explains why.
#pragma once

#include <atomic>
#include <new>
#include <optional>
#include <utility>

#include "emulator/engine/job.hpp"

namespace kport {

/// What a run is to do besides running nodes. Each needs more of a node than the least that may be kept.
struct Demands {
    bool free = false;         ///< no rounds that all nodes share
    bool has_order = false;    ///< nodes run in a given order
    bool has_faults = false;   ///< faults are injected into the programs
    bool lists_sends = false;  ///< what programs ask to send is noted
    bool is_recorded = false;  ///< transfers are recorded
    bool has_ranks = false;    ///< several processes share the nodes
    bool explains = false;     ///< the fast run was given up; this one names what broke
};

/// Whether the options ask for the free engine. A last round needs rounds that all nodes share.
[[nodiscard]] inline bool runs_free(const RunOptions& options) {
    return options.engine == EngineKind::free && options.last_round == 0;
}

/// The demands on a run in lockstep.
[[nodiscard]] Demands demands_in_lockstep(const RunOptions& options);

/// What executes the nodes, and in which form messages and audit keep packets.
struct ChosenExecution {
    /// What the nodes are. `timetable` may still become `in_step`, and `exchange` and `relay` programs, when the text is asked.
    Execution nodes = Execution::programs;
    /// Broadcast of several packets: a message of one of them is its number, and the bytes move from place to place.
    bool packets_by_number = false;
    /// The audit keeps only what shows whether the run is lawful (Auditor::may_be_brief()).
    bool is_brief = false;
};

/// Chooses by the type of the job's program and by what is demanded. Asks the program nothing. O(1), but for the starters and the
/// contributions that the job lists. Thread-safe. Throws RequestError for an operator that is not defined for its type.
[[nodiscard]] ChosenExecution choose_execution(const Job& job, const Demands& demands);

/// Memory for a node, in bytes, without the packets and values that it holds; an upper estimate, as measured with some room.
struct NodeBytes {
    double kept = 0;       ///< of every node: its slot, its claims and its audit
    double untouched = 0;  ///< reserved besides for every node, and filled only on other machines
    double at_work = 0;  ///< besides, while it has something to do: a program and its messages, or a cursor, or values
    bool all_at_work = false;  ///< all nodes have something to do at once
};
[[nodiscard]] NodeBytes estimate(const ChosenExecution& chosen, const Machine& machine);

/// Runs on the engine that the options ask for; in lockstep where the free engine gives the run up, after its memory is free again.
/// make_free() returns an object with run() and needs_rounds() as FreeRunning has them; in_lockstep() returns a RunResult.
template <class MakeFree, class InLockstep>
[[nodiscard]] RunResult run_on_engine(const RunOptions& options, const MakeFree& make_free,
                                      const InLockstep& in_lockstep) {
    NeedsRounds why = NeedsRounds::no;
    if (runs_free(options)) {
        auto free = make_free();
        if (std::optional<RunResult> result = free.run()) return *std::move(result);
        why = free.needs_rounds();
    }
    RunResult result = in_lockstep();
    result.needs_rounds = why;
    return result;
}

/// Thrown by a part of an attempt at whatever only a full run can explain.
struct Unexplained {};

/// Whether a fast run has failed. It serves lawful runs only: where a rule may be broken, or the text of the programs throws, it has no
/// result, and the run is repeated in full (run_lockstep()).
///
/// Callers   several threads. Nothing else is handed over with the flag.
class Attempt {
  public:
    /// Runs a part. The attempt fails if it throws. Passes on std::bad_alloc, which the full run would not explain.
    template <class Part>
    void make(const Part& part) {
        try {
            part();
        } catch (const std::bad_alloc&) {
            throw;
        } catch (...) {
            fail();
        }
    }
    void fail() { has_failed_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool has_failed() const { return has_failed_.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> has_failed_ = false;
};

}  // namespace kport
