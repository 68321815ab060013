/// @file cube_crossings.hpp   Plans that are equal from every node of a hypercube: rotations and koenig.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/support/fit.hpp"

namespace kport {

/// One step of the packets between nodes at one relative address: each node sends one of them across a dimension, that
/// of the origin `crossed` away from it. All words are sets of dimensions.
struct Crossing {
    int dimension;
    NodeId crossed;  ///< the dimensions that the packet has crossed before
    NodeId address;  ///< all dimensions that it crosses
};

/// Crossings by round. In a round no dimension is crossed twice; since the plan is equal from every node, each channel
/// carries at most one packet.
using CubePlan = std::vector<std::vector<Crossing>>;

/// All-to-all broadcast in ceil((2^n - 1) / n) rounds: the non-zero words in an order in which the t-th has bit t mod
/// n, and the word without that bit is in an earlier group of n, or is 0. Group g is round g. The order goes by weight;
/// within a weight by classes under rotation: a class enters at a member that has the next bit, and its left rotations
/// follow. Where a group has words of two weights, classes and members are tried until no word depends on one of its
/// group. Bertsekas et al. 1991.
///
/// Requires  dimensions <= rotations_max.
[[nodiscard]] CubePlan rotations_plan(int dimensions);
inline constexpr int rotations_max = 16;

/// All-to-all scatter in 2^(n-1) rounds: the packets of each address cross each of its dimensions once, in any order.
/// So a plan is a colouring of the edges between addresses and dimensions; by Koenig's theorem 2^(n-1) colours suffice,
/// as many as a dimension has addresses. Each dimension is crossed in every round: all channels are always busy.
[[nodiscard]] CubePlan koenig_plan(int dimensions);

/// Needs one packet through each port in a round.
[[nodiscard]] inline std::optional<std::string> misfit_cube_plan(const Machine& machine,
                                                                 const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), needs_all_ports(machine), needs_full_duplex(machine),
                     needs_full_links(machine), needs_table(machine), takes_no_options(options)});
}

/// Returns the size of a plan with so many crossings.
[[nodiscard]] inline PlanSize cube_plan_size(double crossings) {
    constexpr double while_planned = 2;
    return {.bytes = while_planned * crossings * sizeof(Crossing)};
}

}  // namespace kport
