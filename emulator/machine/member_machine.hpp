/// @file member_machine.hpp   The machine of some nodes of a machine, with its rules and prices.
#pragma once

#include <vector>

#include "emulator/machine/machine.hpp"

namespace kport {

/// Returns the machine that consists of these nodes, by rank (machine_of_members()), with the ports and rules of `whole`. Throws as
/// machine_of_members(), and RequestError where links have different prices.
[[nodiscard]] Machine member_machine(const Machine& whole, std::vector<NodeId> members);

}  // namespace kport
