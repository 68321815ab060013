/// @file remaining_machine.hpp   What is left of a machine whose links and nodes break, with its rules, limits and prices.
#pragma once

#include <memory>

#include "emulator/machine/machine.hpp"

namespace kport {

/// Returns the number that node v of `before` has on `left`, which without() makes of it; no_node if it is gone.
[[nodiscard]] NodeId number_left(const Topology& before, const Topology& left, NodeId v);

/// Returns the machine on what without() leaves of its topology: nodes keep their own limits of ports, links their prices. Its rules
/// in words lack the slow parts, whose factors are among the prices. O(channels) where links have prices.
[[nodiscard]] Machine remaining_machine(const Machine& whole, std::shared_ptr<const Topology> left);

}  // namespace kport
