/// @file rule.hpp   The rules of the model and their names. A new rule is an enumerator and its row.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace KPORT_PUBLIC kport {

/// The rules of model.md sections 1 and 8, in the order in which reports list them.
enum class Rule : std::uint8_t {
    ports,
    nodup,
    noho,
    channel,
    combining,  ///< one packet a message where the machine does not combine
    delivery,   ///< holding what is sent, and everything that the operation promises
    strict,     ///< nothing had to wait under the strict policy (always kept under queue)
    rounds,     ///< no round passed without a transfer, but those that programs let pass on purpose
    transfers,  ///< the engine showed the auditor the same transfers at senders, receivers and on paths
    agree,      ///< all holders of a result of a reduction hold the same bits, whatever the values
    broken,     ///< no message crosses a broken link or node (always kept where algorithms know what is broken)
    relay       ///< only nodes that may pass packets on do so (always kept where the promise does not say who may)
};

struct RuleRow {
    Rule rule;
    std::string_view name;   ///< of a violation: "nodup"
    std::string_view check;  ///< the key of its check in JSON: "nodup"
    std::string_view title;  ///< in the text report: "NODUP"
};

inline constexpr auto rule_rows = std::to_array<RuleRow>({{Rule::ports, "ports", "ports", "ports"},
                                                          {Rule::nodup, "nodup", "nodup", "NODUP"},
                                                          {Rule::noho, "noho", "noho", "NOHO"},
                                                          {Rule::channel, "channel", "channels", "channels"},
                                                          {Rule::combining, "combining", "combining", "combining"},
                                                          {Rule::delivery, "delivery", "delivered", "delivery"},
                                                          {Rule::strict, "strict", "strict", "strict"},
                                                          {Rule::rounds, "rounds", "rounds", "rounds"},
                                                          {Rule::transfers, "transfers", "transfers", "transfers"},
                                                          {Rule::agree, "agree", "agree", "agree"},
                                                          {Rule::broken, "broken", "broken", "lost messages"},
                                                          {Rule::relay, "relay", "relay", "relay"}});

inline constexpr std::size_t rules = rule_rows.size();

[[nodiscard]] constexpr const RuleRow& row(Rule rule) { return rule_rows.at(static_cast<std::size_t>(rule)); }
[[nodiscard]] constexpr std::string_view name(Rule rule) { return row(rule).name; }

static_assert(std::ranges::all_of(rule_rows, [](const RuleRow& r) { return &row(r.rule) == &r; }), "in order");

}  // namespace kport
