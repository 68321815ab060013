/// @file job.hpp   A job, its options and its result; how it runs, alone and after others.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/audit/verdict.hpp"
#include "emulator/audit/violation.hpp"
#include "emulator/engine/agreement.hpp"
#include "emulator/engine/execution.hpp"
#include "emulator/engine/order.hpp"
#include "emulator/engine/progress.hpp"
#include "emulator/engine/sabotage.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/node/node.hpp"
#include "emulator/node/plan.hpp"
#include "emulator/node/reduction.hpp"
#include "emulator/payload/body.hpp"
#include "emulator/ranks/ranks.hpp"
#include "emulator/schedule/schedule.hpp"

namespace KPORT_PUBLIC kport {

/// Makes the program of a node; called once a node, when the node starts. Must be callable by several threads.
using ProgramFactory = std::function<Program(Node&)>;

/// The program of every node, the machine, and what the run promises.
struct Job {
    Machine machine;
    /// The program may run twice: lockstep repeats from the start a job that the free engine gives up.
    ProgramFactory program;
    /// The nodes that start in round 1. All others start when their first message comes and cost nothing before.
    std::vector<NodeId> starters;
    /// Of each starter the round in which it starts, unless a message starts it before; until then it costs nothing. Empty: round 1.
    /// A free run starts all in round 1: it needs rounds (NeedsRounds::starts) where a program does anything before but wait for
    /// that round (Node::until()) or for a message.
    std::vector<Round> starters_wait_until = {};
    bool all_start = false;  ///< every node starts in round 1; starters is ignored
    /// The programs of all other nodes begin with receive_from(): then their clocks do not depend on when they start, which is all
    /// that a free run needs to know. It needs rounds (NeedsRounds::starts) where one begins with anything else.
    bool others_receive = false;
    Collective collective = Collective::broadcast(0, 0);
    Reduction reduction;  ///< of reduce, allreduce, scan
    bool payload = true;  ///< false: sizes are counted, no bytes are held
    std::uint64_t seed = 1;
    /// Of collectives that carry sets of packets: the bytes of what nodes own, as an earlier run has brought them. Null: they
    /// follow from the seed.
    std::shared_ptr<const Holdings> brought = nullptr;
    /// On machines with switches: routes of messages for which the program names none; those that are not in the book, or all if it
    /// is null, take the machine's.
    std::shared_ptr<const RouteBook> routes = nullptr;
};

/// A job in which every node follows the plan. Nodes whose first act is a send start by themselves, before that round; of a reduction
/// those that have their result from the start, too; all others with their first message. What else a job says may be set before
/// it is run.
///
/// Errors   RequestError for null, and for a machine without a topology; what the plan throws.
/// Cost     O(nodes): each is asked for its first act.
[[nodiscard]] Job job_following(std::shared_ptr<const Plan> plan, const Machine& machine, const Collective& collective);
/// The plan that all nodes of a job follow, if it is of this kind; else null.
template <std::derived_from<Plan> Kind = Plan>
[[nodiscard]] const Kind* plan_of(const Job& job) {
    const auto* program = job.program.target<PlanProgram>();
    return program != nullptr ? dynamic_cast<const Kind*>(program->plan().get()) : nullptr;
}

enum class EngineKind : std::uint8_t {
    lockstep,  ///< rounds are global (engine/job.hpp)
    free       ///< every node as soon as mail lets it (engine/free_running.hpp)
};
[[nodiscard]] std::string_view name(EngineKind kind);  ///< "lockstep", "free"

/// A send as a program asked for it, before anything is arbitrated.
struct AskedSend {
    Round round;  ///< in which the program came to it
    NodeId from;
    NodeId to;
    std::vector<Port> route;  ///< empty: the machine chooses it
    /// 0: a send by itself. Else the number of a declaration: its sends were to go in this round together.
    std::uint64_t declaration;
};

/// Why a job that was to run free needs rounds, so that lockstep runs it (FreeRunning::run()).
enum class NeedsRounds : std::uint8_t {
    no,
    order,   ///< the program depends on the order of arrival
    claims,  ///< claims compete, and a message has to wait
    starts   ///< the program depends on the round in which a node starts, other than the job says
};
/// One clause for people; empty for no.
[[nodiscard]] std::string_view text(NeedsRounds why);

inline constexpr NodeId partition_nodes_default = 4096;
inline constexpr unsigned run_threads_max = 1024;
inline constexpr NodeId shown_results_max = 64;

/// Options of a run. Only last_round, max_rounds, stop and sabotage change counts.
struct RunOptions {
    EngineKind engine = EngineKind::lockstep;
    unsigned threads = 1;  ///< at most run_threads_max
    /// Lockstep: a partition gets at least so many consecutive nodes at a time (engine/world.hpp), and a round with less to
    /// do is one thread's. With few, at least 1, small machines have several partitions: for tests.
    NodeId partition_nodes = partition_nodes_default;
    bool per_round = false;
    /// Where to record the transfers, instead of what it held before; null: not at all, at no cost. first_receipts() and holdings() (schedule/critical_path.hpp)
    /// tell by node what they brought.
    Schedule* recorded_schedule = nullptr;
    std::size_t violations_max = ViolationLog::listed_max;  ///< the verdict lists so many, and counts all
    NodeId results_max = shown_results_max;                 ///< RunResult::results: of nodes with smaller numbers
    /// Lockstep: where to record what programs asked to send, of each node in its order; null: not at all.
    std::vector<AskedSend>* asked = nullptr;
    Holdings* keep = nullptr;  ///< of collectives that carry sets of packets: where to keep what nodes hold at the end
    Round last_round = 0;      ///< the run ends after it, as if stopped; 0: when it is over
    Round max_rounds = 0;      ///< a run that needs more is stopped; 0: default_max_rounds()
    const std::atomic<bool>* stop = nullptr;  ///< set by anyone: the run ends after the round, or in a large one
    Order* order = nullptr;        ///< the run has one thread, and goes in this order; null: in the engine's own
    Sabotage* sabotage = nullptr;  ///< faults to inject; null: none. The run has one thread then
    /// Called by the running thread about five times a second, with what moved so far.
    ProgressFunction progress;
    /// Called by a thread of its own about a node program that computes for `computing_after` and longer without waiting: such a
    /// program cannot be stopped (engine/watch.hpp). Null: none is watched.
    ComputingFunction computing;
    std::chrono::milliseconds computing_after = std::chrono::seconds(5);
    /// Lockstep: the ranks that run the job together, each with the same job and options; all end with the same result. Null: this
    /// process alone. Takes no order, sabotage or asked sends.
    Ranks* ranks = nullptr;
    /// Lockstep: where to write what each thread did when; null: nowhere, at no cost.
    std::vector<PhaseTime>* phases = nullptr;
};

/// 4 million, or 64 for each node if that is more: far more than any algorithm of the catalogue takes, and over in seconds
/// where few nodes send or wait for ever. It counts silent rounds too. It cannot stop a program that computes for ever without
/// a `co_await` (RunOptions::computing).
[[nodiscard]] Round default_max_rounds(NodeId nodes);
inline constexpr Round max_rounds_max = ~Round{0} - 1;  ///< of RunOptions::max_rounds

/// What one of several ranks had to do in a run.
struct RankFacts {
    std::uint64_t messages = 0;    ///< sent by its nodes
    std::uint64_t remote = 0;      ///< of them, those to nodes of other ranks
    double exchange_seconds = 0;   ///< writing letters apart: sending them, and waiting for those of the others
    std::uint64_t peak_bytes = 0;  ///< the most memory that its process has had
};

struct RunResult {
    EngineKind engine = EngineKind::lockstep;    ///< which one ran it; not always the one that was asked for
    NeedsRounds needs_rounds = NeedsRounds::no;  ///< why it was not free, as asked for
    unsigned threads = 1;   ///< that were at work; fewer than asked for where there was little to do
    Executions executions;  ///< that took part
    Verdict verdict;
    bool stopped = false;        ///< ended by RunOptions::stop, last_round or max_rounds, before a verdict
    bool out_of_rounds = false;  ///< it was max_rounds
    /// An operation that is another one reversed in time (algorithms/): that one was stopped, and nothing has moved.
    bool not_begun = false;
    /// Reductions: the results as text, in the order of the nodes that gave one: of the first RunOptions::results_max nodes, or
    /// the root's alone where only it has one.
    std::vector<std::string> results;
    /// Of a reduction that came to its end in one process, with bytes.
    std::optional<Agreement> agreement;
    double wall_seconds = 0;       ///< set-up, rounds, audit, verification and teardown
    double moving_seconds = 0;     ///< free-running: of it, the time of the programs alone
    std::vector<RankFacts> ranks;  ///< by rank; empty in one process
};

/// A node program let an exception escape. what() names node and round; the program's own exception is nested.
class ProgramError : public std::runtime_error {
  public:
    ProgramError(NodeId node, Round round, const std::string& text);
    NodeId node;
    Round round;
    std::string text;  ///< of what() what the program's own exception says
};

/// Runs the job on the engine that the options name, or in lockstep where it needs rounds (FreeRunning::run()): where
/// last_round is given, say. Errors as run_lockstep().
[[nodiscard]] RunResult run(const Job& job, const RunOptions& options);

/// Throws a ProgramError with the exception nested in it; std::bad_alloc, which is no fault of a program, as it is.
[[noreturn]] void rethrow_as_program_error(const std::exception_ptr& error, NodeId node, Round round);

/// Runs the job in lockstep, the exact model: rounds are global, ports and channels are arbitrated, every count is the same on any
/// number of threads. To its end: until no node has anything to do and no message waits.
///
/// Rounds     Each round the nodes that have something to do are resumed, then the claims are arbitrated by the machine's
///            rules, then the granted messages move and are audited. A message can be received from the next round on.
/// Threads    Nodes belong to partitions by number; a oneTBB task runs a partition. Small rounds run on one thread.
/// Cost       grows with the messages, never with rounds x nodes.
/// Errors     RequestError for a source or starter outside the machine; DoesNotFit for 2^32 - 1 nodes or more; ProgramError;
///            std::bad_alloc. A broken rule or a node that waits for ever is in the verdict, not an error.
[[nodiscard]] RunResult run_lockstep(const Job& job, const RunOptions& options);

/// The result of a sequence: collectives one after the other as one, where what a phase delivers the next one owns.
struct SequenceResult {
    std::vector<RunResult> phases;  ///< those that ran, each with its own verdict and cost; rounds count from 1 in each
    Metrics metrics;                ///< of all: the rounds of a phase follow those of the phase before
    bool lawful = false;            ///< every phase ran, and is lawful
};

/// Runs the phases one after the other, each on the engine that the options name. The bytes that a phase has brought to a node
/// are those that the next one moves; at the end of each they are compared with what the owners of the first phase had. After
/// a phase that is not lawful, or was stopped, none is begun. A schedule is recorded of all phases, as one.
///
/// Errors   as run(); RequestError unless all phases have one machine (its rules and prices, and a topology of the same links), one size of packets and one seed, carry packets in sets
///          (scatter, gather, allgather, alltoall, and one's own), and own only what the phase before promises the same node.
[[nodiscard]] SequenceResult run_in_sequence(std::vector<Job> phases, const RunOptions& options);

}  // namespace kport
