/// @file register.hpp   Contenders as cases of Google Benchmark.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/support/outcome.hpp"

namespace kport::bench {

/// Each iteration is one whole run; the time is the contender's own, without the check of its result.
inline void run_case(benchmark::State& state, const std::function<Outcome()>& run) {
    double wall_ns = 0;
    double cpu_ns = 0;
    double bytes_a_node = 0;
    double messages = 0;
    for (auto _ : state) {
        const Outcome outcome = run();
        if (!outcome.right) {
            state.SkipWithError("the result is wrong");
            return;
        }
        state.SetIterationTime(outcome.wall_ns * 1e-9);
        wall_ns += outcome.wall_ns;
        cpu_ns += outcome.cpu_ns;
        messages += static_cast<double>(outcome.messages);
        bytes_a_node = std::max(bytes_a_node, outcome.bytes_a_node());
    }
    state.counters["ns_a_message"] = wall_ns / messages;
    state.counters["cpu_ns_a_message"] = cpu_ns / messages;
    state.counters["messages_per_second"] = messages / wall_ns * 1e9;
    state.counters["bytes_a_node"] = bytes_a_node;
}

inline bool register_contenders(const std::vector<Contender>& contenders) {
    for (const Contender& contender : contenders) {
        benchmark::internal::Benchmark* bench = benchmark::RegisterBenchmark(
            contender.name.c_str(), [run = contender.run](benchmark::State& state) { run_case(state, run); });
        bench->UseManualTime()->Unit(benchmark::kMillisecond);
        if (tiny()) bench->Iterations(2);
    }
    return true;
}

}  // namespace kport::bench
