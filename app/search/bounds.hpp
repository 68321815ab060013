/// @file bounds.hpp   Lower bounds on the rounds that a search tries to find, where no closed form covers it. Each holds for every schedule.
#pragma once

#include <vector>

#include "algorithms/bounds/bounds.hpp"
#include "app/search/problem.hpp"
#include "app/search/question.hpp"

namespace kport::search {

/// Returns the arguments for a lower bound, at least one, the binding one first.
///
/// For a broadcast: eccentricity, fan-out, degrees, chains of sends (bounds/counting.hpp). For a gossip: diameter,
/// fan-out, and those of a broadcast from each node.
[[nodiscard]] std::vector<Argument> lower_bounds_of(const Problem& problem, const Graph& graph);

/// Returns their largest value.
[[nodiscard]] Round bound_of(const std::vector<Argument>& arguments);

/// Without combining, for packets: sends and receipts of each node, relayed packets of cut nodes included; packets over each bridge;
/// all hops over all ports. No argument for values and where messages hold bundles. None for machines on which that takes longer than
/// about a second. O(N * (packets * N + channels)).
[[nodiscard]] std::vector<Argument> loads_of(const Question& question);

/// For an allreduce on full duplex: a cut node must tell each part after it has heard of all others, each segment apart without
/// combining. O(N * channels).
[[nodiscard]] std::vector<Argument> told_late(const Question& question);

/// Without combining, for packets: the rounds that packets would need as fluids, parts of which may take different ways at once. At
/// least what loads_of() finds, where a node's or channel's load is the same whatever ways packets take; rounded as an integer bound.
///
/// None on more than 32 nodes, and for packets of several receivers on more than 10. Some hundredths of a second.
[[nodiscard]] std::vector<Argument> fluid_of(const Question& question);

}  // namespace kport::search
