/// @file flow_over_time.hpp   How many packets can reach a node in so many rounds (model.md section 13.1).
#pragma once

#include <optional>

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {

/// Store-and-forward: at most as many packets can reach a node within T rounds as a maximum flow in the network
/// that has a copy of the graph for each round. Closed forms of rings, tori of two dimensions and complete graphs with all
/// ports; on small graphs of other families, with any ports, the flow itself, where it gives more than `least` rounds; nothing
/// elsewhere.
[[nodiscard]] std::optional<Reason> flow_over_time(const Facts& facts, Count least);

}  // namespace kport::bounds
