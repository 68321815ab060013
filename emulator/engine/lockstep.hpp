/// @file lockstep.hpp   The exact model: rounds are global, ports and channels are arbitrated, every count is the same
///                      on any number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/audit/auditor.hpp"
#include "emulator/engine/progress.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/node/node.hpp"
#include "emulator/node/reduction.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Makes the program of a node; called once a node, when the node starts. Must be callable by several threads.
using ProgramFactory = std::function<Program(Node&)>;

/// What is to be run.
struct Job {
    Machine machine;
    ProgramFactory program;
    /// The nodes that start in round 1. All others start when their first message comes and cost nothing before.
    std::vector<NodeId> starters;
    bool all_start = false;  ///< every node starts in round 1; starters is ignored
    Promise promise;
    Reduction reduction;  ///< of reduce, allreduce, scan
    bool payload = true;  ///< false: sizes are counted, no bytes are held
    std::uint64_t seed = 1;
};

/// How it is to be run; none of this changes a count.
struct RunOptions {
    unsigned threads = 1;
    bool per_round = false;
    Schedule* record = nullptr;               ///< where to record the transfers; null: not at all, at no cost
    const std::atomic<bool>* stop = nullptr;  ///< set by anyone: the run ends after the round at hand
    /// Called by the running thread about five times a second, with what moved so far.
    ProgressFunction progress;
};

inline constexpr NodeId shown_results_max = 64;

struct RunResult {
    Verdict verdict;
    bool stopped = false;  ///< ended by RunOptions::stop, before a verdict
    /// Reductions: the results of the first nodes, for people (at most shown_results_max of them; the root's alone where only
    /// it has one).
    std::vector<std::string> results;
    double wall_seconds = 0;  ///< set-up, rounds, audit, verification and teardown
};

/// A node program let an exception escape. what() names node and round; the program's own exception is nested.
class ProgramError : public std::runtime_error {
  public:
    ProgramError(NodeId node, Round round, const std::string& text);
    NodeId node;
    Round round;
};

/// Runs the job to its end: until no node has anything to do and no message waits.
///
/// Rounds     Each round the nodes that have something to do are resumed, then the claims are arbitrated by the machine's
///            rules, then what was granted moves and is audited. What arrives in a round is seen from the next one on.
/// Threads    Nodes belong to partitions by number; a oneTBB task runs a partition. Small rounds run on one thread.
/// Cost       grows with the messages, never with rounds x nodes.
/// Errors     RequestError for a source or starter outside the machine; DoesNotFit for 2^32 - 1 nodes or more; ProgramError;
///            std::bad_alloc. A broken rule or a node that waits for ever is in the verdict, not an error.
[[nodiscard]] RunResult run_lockstep(const Job& job, const RunOptions& options);

}  // namespace kport
