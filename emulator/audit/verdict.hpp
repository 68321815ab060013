/// @file verdict.hpp   The result of an audit, and of comparing bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/audit/violation.hpp"
#include "emulator/base/types.hpp"
#include "emulator/machine/metrics.hpp"

namespace KPORT_PUBLIC kport {

/// The result of an audit.
struct Verdict {
    Metrics metrics;
    std::vector<RoundMetrics> per_round;  ///< empty unless asked for
    std::vector<Violation> violations;    ///< the first ones, in order
    std::uint64_t violation_count = 0;
    std::array<std::uint64_t, rules> violations_by_rule = {};  ///< in the order of Rule
    Rules judged_by = {};                                      ///< which rules were law
    std::vector<Counted> counted;                              ///< the rules that are counted, in order, kept or not
    std::uint64_t holders = 0;   ///< nodes that hold at the end what the operation promises them; where only a root is
                                 ///< promised anything (gather, reduce), packets that it holds
    std::uint64_t promised = 0;  ///< how many those should be; 0: nothing is promised
    bool promised_at_root = false;       ///< they are packets at one root
    std::uint64_t compared_packets = 0;  ///< that came to nodes which must hold them; their bytes were compared. Where
                                         ///< nothing is promised: messages whose contents were compared
    std::uint64_t compared_bytes = 0;
    bool delivered = false;  ///< the run came to its end, and nothing breaks Rule::delivery

    /// No rule is broken, and everything is delivered. A stopped run is not lawful: the rest was not judged.
    [[nodiscard]] bool lawful() const { return violation_count == 0 && delivered; }
    [[nodiscard]] std::uint64_t count(Rule rule) const { return violations_by_rule[static_cast<std::size_t>(rule)]; }
    [[nodiscard]] Force force(Rule rule) const { return force_of(judged_by, rule); }
    /// Whether nothing breaks the rule, including rules that are not enforced.
    [[nodiscard]] bool kept(Rule rule) const { return count(rule) == 0; }
    bool operator==(const Verdict&) const = default;
};

/// The result of comparing the bytes at a node with those of their owners.
struct PayloadCheck {
    NodeId node = no_node;
    std::uint64_t packets = 0;  ///< that came, and were compared
    std::uint64_t bytes = 0;
    std::uint64_t lacking = 0;        ///< of the packets that it must hold: those without bytes, or with others
    std::optional<PacketId> missing;  ///< the lowest that it must hold and of which it has no bytes
    std::optional<PacketId> differs;  ///< the first of which a byte is wrong, promised or not
    std::uint64_t byte = 0;           ///< that byte
};

}  // namespace kport
