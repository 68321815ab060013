/// @file free_running.hpp   The engine without barriers: each node runs as soon as its messages have come.
#pragma once

#include <memory>
#include <optional>

#include "emulator/engine/job.hpp"

namespace KPORT_PUBLIC kport {

/// Runs a job without barriers, as fast as the cores allow. It can be run again, with its memory warm.
///
/// Tasks      A node with something to do runs until it waits for a message. Messages go into the receiver's Inbox
///            (payload/inbox.hpp). The sender of the first letter to a sleeping node puts the node on its thread's list; half of a list
///            becomes a oneTBB task when a thread has nothing to do. There is no polling: the run ends with the last task. A
///            short job that is run again and again goes on one thread if that has been faster.
/// Rounds     are logical clocks. A node starts in round 1, or in the round after that of the message that started it; a
///            send takes the first round in which a send port is free, and what arrived in a round is seen from the next
///            one on. Nothing is arbitrated. Where no claims compete, every count is that of run_lockstep(); where some
///            do, the run is given up: see run().
/// Order      A program that takes the first message of several senders depends on rounds: see run().
/// Audit      when the run is over, of all transfers, round by round (engine/traffic.hpp).
/// Threads    constructor, run() and destructor by one task, which must not be one of the arena's own.
/// Cost       grows with the messages. Memory as in lockstep, and 40 bytes a message for the audit.
/// Errors     as run_lockstep(); DoesNotFit for more than 2^27 nodes.
class FreeRunning {
  public:
    /// The job must outlive it.
    FreeRunning(const Job& job, const RunOptions& options);
    FreeRunning(const FreeRunning&) = delete;
    FreeRunning& operator=(const FreeRunning&) = delete;
    ~FreeRunning();

    /// Nothing where the job needs rounds, and needs_rounds() says why:
    /// * two runs could differ: a node takes the first message of several senders, or asks whether one has come, or
    ///   sends a packet that it has not received. This does not depend on threads or timing: until a node does one of
    ///   these, the run follows from the program alone, so either every run comes to that point or
    ///   none does.
    /// * claims competed, so that in lockstep a message waits: a node is sent more than its ports take, a channel is requested
    ///   twice. Up to the first such round both engines do the same, so lockstep finds the same claims there.
    /// * a node lets more rounds pass than lockstep waits for.
    ///
    /// RunResult::moving_seconds is the time of the programs alone, without set-up, audit and the check of bytes.
    [[nodiscard]] std::optional<RunResult> run();
    /// Why the last run() returned nothing.
    [[nodiscard]] NeedsRounds needs_rounds() const;

  private:
    class Engine;
    std::unique_ptr<Engine> engine_;
};

}  // namespace kport
