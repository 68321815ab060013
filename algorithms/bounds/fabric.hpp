/// @file fabric.hpp   Lower bounds among the hosts of a machine with switches or trunks.
#pragma once

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {

/// Returns the bounds of an operation among the hosts of a fabric, for all routes of the switching mode. Fan-out by the ports
/// that the links of each host serve, relays of messages, growth and traffic through cuts: balls around nodes, what one removed
/// switch leaves, subtrees. Larger machines have fewer cuts, and weaker bounds on work.
[[nodiscard]] Derivation derive_in_fabric(const Facts& facts);

}  // namespace kport::bounds
