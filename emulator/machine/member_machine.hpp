/// @file member_machine.hpp   The machine of some nodes of a machine, with its rules and prices.
#pragma once

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

}  // namespace kport
