/// @file breach_rows.hpp   The table of breaches: the rule that each breaks, and its report.
#pragma once

#include <span>
#include <string_view>

#include "emulator/audit/violation.hpp"

namespace kport {

/// A headline, the events in order, and a hint on how to avoid it. Braces name the violation's fields:
///
///     {node} {other} {earlier_other}   "node 5"; {other:number}, {earlier_other:number} "5"
///     {round} {earlier} {port}         numbers
///     {packet}                         "packet 5", "contribution 5 of segment 2", "the result of segment 2"
///     {contribution}                   "contribution 5", "contribution 5 of segment 2"
///     {packet:number}                  "5"
///     {limit}                          a number; {limit:send} "1 send", "2 sends"
///     {by}                             " by port 3", or nothing where the port is not known
///     {contributor}                    the node whose contribution the packet is, without "node"
///     {last_round} {last_node} {spec}  the last of `limit` rounds; of the topology
struct Telling {
    std::string_view lines[3];
    /// Whether this report fits a violation. Null: it fits every violation that no report before it fits.
    bool (*of)(const Violation&, const Topology&) = nullptr;
};

struct BreachRow {
    Breach breach;
    Rule rule;
    Telling tellings[7];
    BreachStage stage = BreachStage::happens;
    /// Whether messages of several nodes competed in a round.
    bool competition = false;
};

/// Rows in the order of the enumeration.
[[nodiscard]] std::span<const BreachRow> breach_rows();

}  // namespace kport
