/// @file circles.hpp   Deadlocks: cycles of nodes that wait for each other.
#pragma once

#include <vector>

#include "emulator/audit/violation.hpp"

namespace KPORT_PUBLIC kport {

/// The circles among the nodes that wait for ever for a message by one port: each node of a circle waits for the next,
/// the last for the first. Each circle begins with its lowest node; circles in ascending order. O(v log v) for v violations.
[[nodiscard]] std::vector<std::vector<NodeId>> waiting_circles(const std::vector<Violation>& violations);

/// "node 2 waits for node 6, node 6 waits for node 2"; a long cycle is abbreviated in the middle.
[[nodiscard]] std::string tell_circle(const std::vector<NodeId>& circle, const Topology& topology);

}  // namespace kport
