/// @file own_runs.hpp   Runs of programs to which nothing is promised, on every engine and number of threads.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/engine/free_runs.hpp"

namespace kport::test {

inline Job own_job(Machine machine, ProgramFactory program) {
    Job job = job_of_all(std::move(machine), std::move(program));
    job.collective = Collective::none();
    return job;
}

/// Runs the job in lockstep and free, on one and on several threads. Wants the same verdict, counts and transfers each time,
/// and the same of an audit of the transfers. `check` looks at what the programs have left behind, after each run; `why` is
/// the reason why the programs need rounds, if they do.
template <class Check>
Verdict run_everywhere(const Job& job, const Check& check, NeedsRounds why = NeedsRounds::no) {
    const Machine& machine = job.machine;
    std::string first;
    std::string first_moves;
    Verdict verdict;
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free})
        for (const unsigned threads : {1U, 2U, 4U}) {
            SCOPED_TRACE(std::string(name(engine)) + " on " + std::to_string(threads) + " threads, " +
                         machine.topology->spec() + ", " + machine.describe());
            Schedule schedule;
            RunOptions options = options_for(threads, &schedule);
            options.engine = engine;
            options.partition_nodes = 2;
            const RunResult result = run(job, options);
            verdict = result.verdict;
            check();
            EXPECT_EQ(result.needs_rounds, engine == EngineKind::free ? why : NeedsRounds::no);
            const std::string said = text(verdict, *machine.topology);
            if (first.empty()) {
                first = said;
                first_moves = text(schedule);
            }
            EXPECT_EQ(said, first);
            EXPECT_EQ(text(schedule), first_moves);
            EXPECT_EQ(verdict.compared_packets, verdict.metrics.transfers);
            EXPECT_EQ(verdict.compared_bytes, verdict.metrics.bytes);
            if (verdict.lawful()) {
                EXPECT_EQ(text(audit(schedule, machine, job.collective, true), *machine.topology), first);
            }
        }
    return verdict;
}

/// The error of the job's programs; "none" if there is none.
inline std::string complaint(const Job& job, EngineKind engine) {
    try {
        (void)run(job, on(engine));
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "none";
}

/// What is found wrong with a run.
inline std::vector<std::string> found(const Job& job, EngineKind engine) {
    return sentences(run(job, on(engine)), job.machine);
}

}  // namespace kport::test
