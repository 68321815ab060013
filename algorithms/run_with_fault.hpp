/// @file run_with_fault.hpp   Runs an algorithm of the catalogue with an injected fault.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/run_algorithm.hpp"
#include "emulator/fault/fault.hpp"
#include "emulator/topology/broken.hpp"

namespace KPORT_PUBLIC kport {

/// Which fault, and where: once at a place drawn from the seed, or at every opportunity with a probability.
struct Injection {
    Fault fault = Fault::drop;
    std::optional<double> probability;
    std::uint64_t seed = 1;
};

struct FaultyRun {
    RunResult result;
    std::vector<Injected> faults;  ///< the injected faults, and the findings they must cause
    Schedule moved;                ///< the transfers that happened
    /// The run without faults was stopped or breaks a rule. No fault was injected, and this is its result.
    bool fair = false;
};

/// Runs the algorithm and injects the fault. An engine fault (a lost wake-up, a wrong fold) happens while the programs
/// run. A transfer fault is put into the transfers of a run without faults, which are then replayed with their bytes
/// (reductions are audited again; where bytes go wrong, values are combined again). So the fault is equal for every
/// engine, and the auditor sees exactly what went wrong.
///
/// Returns nothing if this run has no place for the fault (FaultInfo::needs).
///
/// Requires  !misfit_of(...).  Threads  one.
/// Errors    as run_algorithm(); malformed: the RequestError of the schedule's reader.
[[nodiscard]] std::optional<FaultyRun> run_with_fault(const Algorithm& algorithm, const Machine& machine,
                                                      const Collective& collective, const AlgorithmOptions& options,
                                                      const Payload& payload, const RunOptions& run_options,
                                                      const Injection& injection);

/// Runs an algorithm that was planned for a whole machine on one with broken parts: all messages that cross them are
/// lost, and break Rule::broken. Broken nodes run, but their messages are lost too.
///
/// Requires  !misfit_of(...).  Threads  one, in lockstep.
/// Errors    as run_algorithm().
[[nodiscard]] RunResult run_unaware(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                                    const AlgorithmOptions& options, const Payload& payload,
                                    const RunOptions& run_options, const BrokenParts& broken);

}  // namespace kport
