/// @file faults.hpp   The check of an algorithm's run: rules, derived cost, bounds.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "algorithms/bounds/bounds.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/base/numbers.hpp"
#include "tests/support/traces.hpp"

namespace kport::test {

inline bool at_most(const Bound& bound, double measured) {
    return !bound.largest() || *bound.largest() <= measured * (1 + 1e-12) + 1e-9;
}

/// The faults of a run; empty if it delivers by the rules, also the strict ones, at its derived cost and not below the
/// bounds. `volume`: the textbook's, in packets, which the derivation must name.
inline std::string faults(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                          const AlgorithmOptions& options, std::optional<std::uint64_t> volume) {
    const auto run_on = [&](const Machine& m) {
        return run_algorithm(algorithm, m, collective, options, Payload{}, RunOptions{}).verdict;
    };
    const Verdict verdict = run_on(machine);
    const Metrics& m = verdict.metrics;
    std::string text;
    const auto expect = [&](bool holds, std::string_view what) {
        if (!holds) text += fmt::format("fails: {}\n", what);
    };
    expect(verdict.lawful(), "it keeps every rule, and every node holds the bytes that were sent");
    expect(verdict.delivered && verdict.holders == machine.topology->nodes(), "every node gets what it is promised");
    expect(algorithm.competes || run_on(strict(machine)).lawful(), "nothing waits because others compete");

    const ExpectedCost cost = expected_cost(algorithm, machine, collective, options);
    expect(cost.rounds.value_or(m.rounds) == m.rounds, "rounds as derived");
    expect(cost.work.value_or(m.work) == m.work, "work as derived");
    expect(cost.path_sum.value_or(m.path_sum) == m.path_sum, "path sum as derived");
    expect(!cost.volume || *cost.volume * collective.packet_bytes == m.volume, "volume as derived");
    expect(!cost.derivation.empty(), "it has a derivation");
    if (volume) {
        expect(m.volume == *volume * collective.packet_bytes, "volume by the book");
        const auto names_volume = [&](const std::string& line) {
            return line.find("volume") != std::string::npos &&
                   line.find(" " + counted(*volume, "packet")) != std::string::npos;
        };
        expect(std::ranges::any_of(cost.derivation, names_volume), "the derivation names the volume");
    }

    const Bounds bounds = lower_bounds(machine, collective);
    for (const QuantityRow& row : quantity_rows) expect(at_most(bounds[row.quantity], row.of(m)), row.title);
    if (text.empty()) return text;
    for (const std::string& line : cost.derivation) text += fmt::format("derivation: {}\n", line);
    return fmt::format("{} {} on {} ({}) from {}\n{}{}", name(algorithm.operation), algorithm.name,
                       machine.topology->spec(), machine.describe(), collective.root, text,
                       test::text(verdict, *machine.topology));
}

}  // namespace kport::test
