/// @file as_programs.hpp   Jobs whose nodes need no programs, run with them and without: the reports are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "emulator/engine/job.hpp"
#include "emulator/engine/sabotage.hpp"
#include "emulator/node/operator.hpp"
#include "emulator/payload/body.hpp"
#include "tests/engine/whole_report.hpp"

namespace kport::test {

struct How {
    unsigned threads = 1;
    NodeId partition_nodes = partition_nodes_default;
    Round last_round = 0;
    Round max_rounds = 0;
    bool small_rounds = true;  ///< false: times of phases are asked for, so that no round is small
    bool recorded = false;     ///< the transfers are compared, too
    bool in_bodies = false;    ///< under a fault that never strikes every packet moves in a body
};

inline std::string report_of(const Job& job, const How& way) {
    RunOptions options;
    options.threads = way.threads;
    options.partition_nodes = way.partition_nodes;
    options.last_round = way.last_round;
    options.max_rounds = way.max_rounds;
    options.per_round = true;
    options.violations_max = 1000;
    std::vector<PhaseTime> phases;
    if (!way.small_rounds) options.phases = &phases;
    Schedule schedule;
    if (way.recorded) options.recorded_schedule = &schedule;
    Sabotage harmless(Fault::corrupt);
    if (way.in_bodies) options.sabotage = &harmless;
    try {
        const RunResult result = run_lockstep(job, options);
        return fmt::format("{} {} {}\ncompared {} {}", result.stopped, result.out_of_rounds,
                           whole_report(result, schedule, *job.machine.topology), result.verdict.compared_packets,
                           result.verdict.compared_bytes);
    } catch (const ProgramError& error) {
        return error.what();
    }
}

/// The job with its program in a function: as programs run, not as a plan.
inline Job as_programs(Job job) {
    job.program = [program = std::move(job.program)](Node& self) { return program(self); };
    return job;
}

/// With one partition and with several, and on two threads.
inline void expect_the_same_as_programs(const Job& job, How way = {}) {
    const std::string programs = report_of(as_programs(job), way);
    way.in_bodies = false;
    for (const NodeId partition_nodes : {partition_nodes_default, NodeId{1}, NodeId{2}})
        for (const unsigned threads : {1U, 2U}) {
            way.partition_nodes = partition_nodes;
            way.threads = threads;
            EXPECT_EQ(report_of(job, way), programs)
                << job.machine.topology->spec() << ", partitions of " << partition_nodes << ", threads " << threads;
        }
}

/// Of runs that end by a limit, too, while messages still move.
inline void expect_the_same_however_it_ends(const Job& job) {
    for (const bool small_rounds : {true, false}) {
        expect_the_same_as_programs(job, {.small_rounds = small_rounds});
        expect_the_same_as_programs(job, {.last_round = 2, .small_rounds = small_rounds});
        expect_the_same_as_programs(job, {.max_rounds = 2, .small_rounds = small_rounds});
    }
}

/// The bytes that nodes hold at the end.
inline std::vector<std::vector<std::byte>> kept_by(const Job& job) {
    Holdings kept;
    RunOptions options;
    options.keep = &kept;
    (void)run_lockstep(job, options);
    std::vector<std::vector<std::byte>> bytes;
    for (Holdings::OfNode& node : kept.of_node) bytes.push_back(std::move(node.bytes));
    return bytes;
}

inline OwnOperator<std::int64_t> first_of_two() {
    OwnOperator<std::int64_t> first;
    first.name = "first";
    first.fold = [](std::int64_t left, std::int64_t) { return left; };
    first.idempotent = true;
    return first;
}

}  // namespace kport::test
