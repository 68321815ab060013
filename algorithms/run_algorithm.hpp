/// @file run_algorithm.hpp   Runs any algorithm of the catalogue: program, reversal, or reduction and broadcast.
#pragma once

#include <optional>

#include "algorithms/catalogue.hpp"
#include "emulator/engine/free_running.hpp"
#include "emulator/schedule/schedule.hpp"

namespace KPORT_PUBLIC kport {

/// The payload: copied at every hop and checked at the end, or only counted.
struct Payload {
    bool copied = true;
    std::uint64_t seed = 1;
};

/// Runs the algorithm to its end. A reversed algorithm runs forward without bytes and is recorded; the schedule is
/// reversed, and the nodes follow it with the bytes. The result's time includes all of it. If a program requested to
/// run free depends on the order of arrival, lockstep runs it instead.
///
/// Requires  !misfit_of(...).
/// Errors    as run_lockstep() and FreeRunning.
[[nodiscard]] RunResult run_algorithm(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                                      const AlgorithmOptions& options, const Payload& payload,
                                      const RunOptions& run_options);

/// An algorithm that runs free (engine/free_running.hpp) repeatedly, with warm memory. A reversed one is recorded once,
/// and its nodes follow the reversed schedule.
///
/// Callers   one task at a time.
class FreeAlgorithm {
  public:
    /// Requires  !misfit_of(...).  Errors  as FreeRunning and run_lockstep().
    FreeAlgorithm(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                  const AlgorithmOptions& options, const Payload& payload, const RunOptions& run_options);
    FreeAlgorithm(const FreeAlgorithm&) = delete;
    FreeAlgorithm& operator=(const FreeAlgorithm&) = delete;

    /// As FreeRunning::run(). Returns nothing, too, if the recording was stopped or broke a rule.
    [[nodiscard]] std::optional<RunResult> run() { return engine_ ? engine_->run() : std::nullopt; }
    /// As FreeRunning::needs_rounds(); no if nothing could be recorded.
    [[nodiscard]] NeedsRounds needs_rounds() const { return engine_ ? engine_->needs_rounds() : NeedsRounds::no; }

  private:
    Schedule schedule_;  ///< the nodes' schedule; empty if they run a program
    Job job_;
    std::optional<FreeRunning> engine_;
};

}  // namespace kport
