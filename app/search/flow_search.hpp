/// @file flow_search.hpp   The fewest rounds of a broadcast whose messages take paths: through switches, over trunks, by wormholes.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/planning/round_flow.hpp"
#include "app/search/search.hpp"

namespace kport::search {

/// Sets of hosts are bits of a word.
inline constexpr NodeId flow_search_nodes_max = 64;

/// Works in order: lower bounds; plans of rounds of flows; for T from the bound on, an exhaustive search of T rounds. `calls`:
/// the messages, with their routes. Found::schedule stays empty.
///
/// Idea     Receivers can be served in a round iff a flow has their number (planning::RoundFlow), and to know more is never
///          worse. So from a set of informed hosts only the bases of the matroid of receivers are tried; hosts that are alike,
///          and sets that automorphisms take to each other, are tried once.
/// Errors   DoesNotFit for more than flow_search_nodes_max hosts.
[[nodiscard]] Found fewest_rounds_by_flows(const Machine& machine, const std::vector<NodeId>& sources,
                                           const SearchOptions& options, std::vector<planning::RoutedCall>& calls);

/// Whether an automorphism of the graph of hosts and switches keeps hosts, switches and capacities.
[[nodiscard]] bool keeps_capacities(const Topology& hosts, std::span<const Node32> image);

}  // namespace kport::search
