/// @file all_executions.hpp   One job in every execution: with programs and without, recorded or not, on threads, ranks and in orders, with
///                            rounds and free.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/engine/free_running.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/ranks/thread_ranks.hpp"
#include "tests/engine/as_programs.hpp"
#include "tests/support/traces.hpp"

namespace kport::test {

/// Makes the job again, with a text that has not been asked yet.
using MakesJob = std::function<Job()>;

inline std::string verdict_of(const std::function<RunResult()>& run, const Topology& topology) {
    try {
        const RunResult result = run();
        if (result.out_of_rounds) return "out of rounds";
        return fmt::format("{} {}", result.results, text(result.verdict, topology));
    } catch (const ProgramError& error) {
        return error.what();
    } catch (const RequestError& error) {
        return error.what();
    }
}

inline RunOptions options_of(unsigned threads, NodeId partition_nodes, Round max_rounds) {
    RunOptions options;
    options.threads = threads;
    options.partition_nodes = partition_nodes;
    options.max_rounds = max_rounds;
    options.per_round = true;
    options.violations_max = 1000;
    return options;
}

/// What every execution tells, by its name.
inline std::map<std::string, std::string> told_by_all(const MakesJob& make, Round max_rounds) {
    const std::shared_ptr<const Topology> topology = make().machine.topology;
    std::map<std::string, std::string> all;
    const auto tell = [&](const std::string& name, const Job& job, const RunOptions& options) {
        all[name] = verdict_of([&] { return run(job, options); }, *topology);
    };
    const RunOptions alone = options_of(1, partition_nodes_default, max_rounds);
    tell("programs", as_programs(make()), alone);
    tell("lockstep", make(), alone);
    tell("lockstep, partitions of 1, 2 threads", make(), options_of(2, 1, max_rounds));
    tell("lockstep, partitions of 2, 4 threads", make(), options_of(4, 2, max_rounds));
    RunOptions options = alone;
    Schedule schedule;
    options.recorded_schedule = &schedule;
    tell("recorded", make(), options);
    options = alone;
    std::vector<PhaseTime> phases;
    options.phases = &phases;
    tell("no small rounds", make(), options);
    options = alone;
    SeededOrder order(7);
    options.order = &order;
    tell("in an order", make(), options);
    for (const unsigned threads : {1U, 2U}) {
        options = options_of(threads, partition_nodes_default, max_rounds);
        options.engine = EngineKind::free;
        tell(fmt::format("free, threads {}", threads), make(), options);
    }
    const Job job = make();
    all["ranks"] = verdict_of(
        [&] {
            return at_each_rank(2,
                                [&](Ranks& ranks) {
                                    RunOptions own = options_of(1, 1, max_rounds);
                                    own.ranks = &ranks;
                                    return run_lockstep(job, own);
                                })
                .front();
        },
        *topology);
    return all;
}

/// Returns what they tell.
inline std::string expect_one_verdict(const MakesJob& make, const std::string& where, Round max_rounds = 60) {
    const auto all = told_by_all(make, max_rounds);
    const std::string& programs = all.at("programs");
    for (const auto& [name, report] : all) EXPECT_EQ(report, programs) << name << ": " << where;
    return programs;
}

}  // namespace kport::test
