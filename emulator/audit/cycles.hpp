/// @file cycles.hpp   Deadlocks: cycles of nodes that wait for each other.
#pragma once

#include <vector>

#include "emulator/audit/violation.hpp"

namespace KPORT_PUBLIC kport {

/// Returns the wait-for cycles among nodes that wait for ever for a message by one port: each node waits for the next,
/// the last for the first. A cycle begins with its lowest node; cycles ascend. O(v log v) for v violations.
[[nodiscard]] std::vector<std::vector<NodeId>> waiting_cycles(const std::vector<Violation>& violations);

/// Returns "node 2 waits for node 6, node 6 waits for node 2"; a long cycle is abbreviated in the middle.
[[nodiscard]] std::string cycle_in_words(const std::vector<NodeId>& cycle, const Topology& topology);

}  // namespace kport
