/// @file sequence.hpp   Collectives one after the other as one: what a phase delivers the next one owns.
#pragma once

#include <vector>

#include "emulator/engine/job.hpp"

namespace KPORT_PUBLIC kport {

/// The result of a sequence.
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
