/// @file synthetic.hpp   A synthetic run, for tests of reports.
#pragma once

#include "emulator/report/report.hpp"
#include "emulator/report/terminal_text.hpp"

namespace kport::test {

/// A lawful broadcast on hypercube:3 that takes one round more than its bound.
[[nodiscard]] inline Report synthetic_report() {
    Report report;
    report.algorithm = "slow";
    report.rule = "a tree: with a detour";
    report.remark = "slow never breaks a rule; this remark is for tests";
    report.machine.topology = make_topology("hypercube:3");
    report.root = 0;
    report.collective.packet_bytes = 64;
    report.bounds[Quantity::rounds] = {3, "fan-out: ceil(log2 8)", "", ""};
    report.bounds[Quantity::work] = {7, "one copy per other node", "", ""};
    report.bounds[Quantity::path_sum] = {3, "eccentricity of node 0", "not known to be reachable", "nobody has tried"};
    report.bounds[Quantity::volume] = {std::nullopt, "", "", ""};
    report.bounds[Quantity::latency] = {3.192, "3 ts + 3 td + 192 tm", "not known to be reachable", "nobody has tried"};
    Metrics& metrics = report.verdict.metrics;
    metrics.rounds = metrics.informed_after = 4;
    metrics.work = 7;
    metrics.path_sum = 4;
    metrics.volume = 256;
    metrics.latency = 4.256;
    metrics.transfers = 7;
    metrics.bytes = 448;
    report.verdict.holders = 8;
    report.verdict.delivered = true;
    report.verdict.compared_packets = 7;
    report.verdict.compared_bytes = 448;
    report.wall_seconds = 0.0007;
    report.peak_rss_bytes = 4096;
    report.again = "kport run broadcast --on hypercube:3";
    return report;
}

/// With this many violations of NODUP.
[[nodiscard]] inline Report broken_report(unsigned violations) {
    Report report = synthetic_report();
    report.verdict.violations_by_rule[static_cast<std::size_t>(Rule::nodup)] = violations;
    report.verdict.violation_count = violations;
    for (unsigned i = 0; i < violations && i < 100; ++i) {
        Violation again;
        again.breach = Breach::received_again;
        again.round = 3;
        again.node = 5;
        again.port = 1;
        again.other = 7;
        again.earlier = 2;
        again.earlier_other = 4;
        report.verdict.violations.push_back(again);
    }
    return report;
}

/// Nodes 2 and 6 wait for each other, by the port of dimension 2.
[[nodiscard]] inline Report deadlocked_report() {
    Report report = synthetic_report();
    report.verdict.delivered = false;
    report.verdict.violation_count = 2;
    for (const NodeId node : {2U, 6U}) {
        Violation waits;
        waits.breach = Breach::waits_for_ever;
        waits.round = 4;
        waits.node = node;
        waits.port = 2;
        waits.other = 8 - node;
        report.verdict.violations.push_back(waits);
    }
    return report;
}

inline const Paint plain(false);
inline constexpr std::size_t wide = 200;  ///< no line is broken

}  // namespace kport::test
