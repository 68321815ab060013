/// @file smaller_machine.hpp   Machines made of a part of a machine, with its rules, limits and prices.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "emulator/machine/machine.hpp"

namespace kport {

/// Returns the machine that consists of these nodes, by rank (machine_of_members()), with the ports and rules of `whole`. Throws as
/// machine_of_members(), and RequestError where links have different prices.
[[nodiscard]] Machine member_machine(const Machine& whole, std::vector<NodeId> members);

/// Returns the machine as the family that its graph is (recognized()), with its ports and rules; nothing where it is none, and where
/// links have different prices, which are known by the numbers of the graph.
[[nodiscard]] std::optional<Machine> recognized_machine(const Machine& whole);

/// Returns the number that node v of `before` has on `left`, which without() makes of it; no_node if it is gone.
[[nodiscard]] NodeId number_left(const Topology& before, const Topology& left, NodeId v);

/// Returns the machine on what is left when links and nodes break: what without() leaves of its topology: nodes keep their own
/// limits of ports, links their prices. Its rules in words lack the slow parts, whose factors are among the prices. O(channels)
/// where links have prices.
[[nodiscard]] Machine remaining_machine(const Machine& whole, std::shared_ptr<const Topology> left);

}  // namespace kport
