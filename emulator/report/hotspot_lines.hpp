/// @file hotspot_lines.hpp   The busiest link and node of a run, and the messages behind its last receipt, as text.
#pragma once

#include <string>

#include "emulator/report/report.hpp"

namespace kport {

/// Returns the lines "load" and "path" of a report; empty unless the report has hotspots.
[[nodiscard]] std::string hotspot_lines(const Report& report);

/// Returns "0 -> 1, 4 of 12 messages, 256 bytes" and "3 (1,1), messages 5 (...)"; "none" if nothing moved.
[[nodiscard]] std::string busiest_link_text(const Load& load, const Topology& topology);
[[nodiscard]] std::string busiest_node_text(const Load& load, const Topology& topology);

/// Returns what a critical path with messages ends with: "the last receipt, at node 7 in round 3, ends a chain of 3 messages; latency
/// 3.2 of 3.2", of the run's latency; and of the rounds in which no message of it moves.
[[nodiscard]] std::string critical_path_text(const CriticalPath& path, double latency, const Topology& topology);
[[nodiscard]] std::string other_rounds_text(const CriticalPath& path);

/// Returns why a message of a critical path comes so late: "waits for its packet", "waits for a port of node 3 (1,1)"; empty for the
/// first one.
[[nodiscard]] std::string reason_of(const CriticalMessage& message, const Topology& topology);

/// Returns "5 (3 sent, 2 received)"; of a node that others' messages pass "5 (3 sent, 1 received, 1 passed on)".
[[nodiscard]] std::string messages_of(const NodeLoad& node);

}  // namespace kport
