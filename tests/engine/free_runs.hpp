/// @file free_runs.hpp   Runs of the free-running engine, and the compared part of their reports.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/run_algorithm.hpp"
#include "tests/support/traces.hpp"

namespace kport::test {

inline RunOptions options_for(unsigned threads, Schedule* record = nullptr) {
    RunOptions options;
    options.engine = EngineKind::free;
    options.threads = threads;
    options.per_round = true;
    options.recorded_schedule = record;
    return options;
}

inline std::string told(const Verdict& verdict, const Job& job) { return test::text(verdict, *job.machine.topology); }

/// The part of a result that every run must repeat: all but the order in which a schedule lists a round.
inline std::vector<std::tuple<Round, NodeId, NodeId, std::vector<Port>>> moves(const Schedule& schedule) {
    std::vector<std::tuple<Round, NodeId, NodeId, std::vector<Port>>> all;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        all.emplace_back(schedule.round(i), transfer.from, transfer.to,
                         std::vector<Port>(transfer.route.begin(), transfer.route.end()));
    }
    std::sort(all.begin(), all.end());
    return all;
}

inline Job sbt(const char* spec) {
    Collective collective;
    collective.packet_bytes = 8;
    const Machine machine = test::machine(spec, PortLimit::all());
    return make_job(algorithm_named("sbt", machine, collective, {}), machine, collective, {});
}

}  // namespace kport::test
