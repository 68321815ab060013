/// @file run_with_fault.hpp   Runs an algorithm of the catalogue with something going wrong on purpose.
#pragma once

#include <optional>
#include <vector>

#include "algorithms/run_algorithm.hpp"
#include "emulator/fault/fault.hpp"

namespace kport {

/// Which fault, and where: once at a place that the seed draws, or at every opportunity with a probability.
struct Injection {
    Fault fault = Fault::drop;
    std::optional<double> probability;
    std::uint64_t seed = 1;
};

struct FaultyRun {
    RunResult result;
    std::vector<Injected> faults;  ///< what was put in, and what has to be said of it
    Schedule moved;                ///< what moved in the end
};

/// Runs the algorithm and puts the fault in. A fault of the engine (a lost wake-up, a wrong fold) happens while the programs
/// run. A fault in what moves is put into the transfers of a run without faults, which then move again with their bytes
/// (reductions: are audited again; of corrupted bytes, folded again): so it is the same fault whatever the engine, and the
/// auditor is shown just what went wrong.
///
/// Nothing where there is no such fault in this run (FaultInfo::needs), or the run without faults breaks a rule or was stopped.
///
/// Requires  !misfit_of(...).  Threads  one.
/// Errors    as run_algorithm(); malformed: the RequestError of who reads the schedule.
[[nodiscard]] std::optional<FaultyRun> run_with_fault(const Algorithm& algorithm, const Machine& machine,
                                                      const Request& request, const AlgorithmOptions& options,
                                                      const Payload& payload, const RunOptions& run_options,
                                                      const Injection& injection);

}  // namespace kport
