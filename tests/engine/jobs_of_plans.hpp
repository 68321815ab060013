/// @file jobs_of_plans.hpp   Jobs of a plan, and what executed them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "emulator/engine/choose_execution.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/node/program.hpp"

namespace kport::test {

template <class OfKind, class... Given>
PlanProgram program_of(const Given&... given) {
    return PlanProgram(std::make_shared<OfKind>(given...));
}

inline Job of_packets(const Machine& machine, const Collective& collective) {
    Job job;
    job.machine = machine;
    job.collective = collective;
    job.starters = {collective.root};
    return job;
}
inline Job of_values(const Machine& machine, const Collective& collective, ProgramFactory program,
                     const Reduction& reduction = {}) {
    Job job;
    job.machine = machine;
    job.collective = collective;
    job.program = std::move(program);
    job.all_start = true;
    job.reduction = reduction;
    return job;
}
inline Collective with(Collective collective, std::uint64_t packets_each) {
    collective.packets_each = packets_each;
    return collective;
}

/// What executed the nodes of a run that explained nothing, or of the one that did.
inline bool is_run_by(const Job& job, Execution nodes, const RunOptions& options = {}) {
    try {
        return run_lockstep(job, options).executions.contains(nodes);
    } catch (const ProgramError&) {
        return nodes == Execution::programs;
    }
}

}  // namespace kport::test
