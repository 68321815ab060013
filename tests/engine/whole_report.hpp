/// @file whole_report.hpp   All that a run tells, as text: for runs that must tell the same.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/engine/job.hpp"
#include "tests/support/traces.hpp"

namespace kport::test {

/// With the transfers of a round sorted.
inline std::string whole_report(const RunResult& result, const Schedule& schedule, const Topology& topology) {
    std::string report = fmt::format("{} {} {}\n", name(result.engine), result.results, text(result.verdict, topology));
    std::vector<std::string> moves;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        moves.push_back(
            fmt::format("{:09} {:09} {:09} {}", schedule.round(i), transfer.from, transfer.to, transfer.route));
    }
    std::sort(moves.begin(), moves.end());
    return report + fmt::format("{}", fmt::join(moves, "\n"));
}

}  // namespace kport::test
