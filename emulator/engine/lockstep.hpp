/// @file lockstep.hpp   The exact model: rounds are global, ports and channels are arbitrated, every count is the same
///                      on any number of threads.
#pragma once

#include "emulator/engine/job.hpp"

namespace KPORT_PUBLIC kport {

/// Runs the job to its end: until no node has anything to do and no message waits.
///
/// Rounds     Each round the nodes that have something to do are resumed, then the claims are arbitrated by the machine's
///            rules, then the granted messages move and are audited. A message can be received from the next round on.
/// Threads    Nodes belong to partitions by number; a oneTBB task runs a partition. Small rounds run on one thread.
/// Cost       grows with the messages, never with rounds x nodes.
/// Errors     RequestError for a source or starter outside the machine; DoesNotFit for 2^32 - 1 nodes or more; ProgramError;
///            std::bad_alloc. A broken rule or a node that waits for ever is in the verdict, not an error.
[[nodiscard]] RunResult run_lockstep(const Job& job, const RunOptions& options);

}  // namespace kport
