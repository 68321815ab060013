/// @file reducing.hpp   Reductions by programs of one's own, run on both engines and several numbers of threads.
#pragma once

#include <utility>

#include <gtest/gtest.h>

#include "tests/engine/own_runs.hpp"

namespace kport::test {

inline Job reducing(Machine machine, const Collective& collective, const Reduction& reduction, ProgramFactory program) {
    Job job = job_of_all(std::move(machine), std::move(program));
    job.collective = collective;
    job.reduction = reduction;
    return job;
}

/// Runs the job in lockstep and free with 1, 2 and 4 threads, and audits its schedule: the same verdict everywhere. What moved
/// is in `moved`.
inline RunResult run_in_every_way(const Job& job, Schedule& moved) {
    const Topology& topology = *job.machine.topology;
    RunResult first;
    for (const EngineKind engine : both_engines)
        for (const unsigned threads : {1U, 2U, 4U}) {
            Schedule schedule;
            RunOptions options = options_for(threads, &schedule);
            options.engine = engine;
            options.partition_nodes = 2;
            RunResult result = run(job, options);
            EXPECT_EQ(result.engine, engine);
            if (moved.size() == 0) {
                first = std::move(result);
                moved = std::move(schedule);
                EXPECT_EQ(text(audit(moved, job.machine, job.collective, true), topology),
                          text(first.verdict, topology));
                continue;
            }
            EXPECT_EQ(text(result.verdict, topology), text(first.verdict, topology));
            EXPECT_EQ(result.results, first.results);
            EXPECT_EQ(result.verdict.compared_bytes, first.verdict.compared_bytes);
        }
    return first;
}

}  // namespace kport::test
