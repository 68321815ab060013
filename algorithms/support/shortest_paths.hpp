/// @file shortest_paths.hpp   Packets along shortest paths, planned link by link for any graph and machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Packets that go together from one node to another.
struct Parcel {
    NodeId from;
    NodeId to;
    PacketBlock packets;
};

/// As many parcels as the machine needs for some rows of packets of one pair of nodes: one where messages hold several packets,
/// else one for each.
void add_parcels(std::vector<Parcel>& parcels, const Machine& machine, const Parcel& all);

/// Each parcel goes along the route of the graph, a link a round. Of those that compete for a port or a link those with the
/// longest way to go are first, then those that have been waiting, then those that stand first; where machines combine all
/// that cross a link in a round go in one message. Keeps the rules of every machine. Ends, because the first parcel of a round
/// finds everything free.
///
/// Cost  O(parcels * rounds), and a search of the graph from each target where it has no formula for routes.
[[nodiscard]] Schedule along_shortest_paths(const Machine& machine, const std::vector<Parcel>& parcels);

/// How many parcels go how far: the links that all of them cross, at most.
struct Journeys {
    double parcels;
    double links;
};

/// Why they are not planned, and their plan.
[[nodiscard]] std::optional<std::string> misfit_shortest_paths(const Machine& machine, const Journeys& journeys);
[[nodiscard]] PlanSize plan_of_shortest_paths(const Journeys& journeys);

/// What is known of the cost where the plan is too large to be counted.
[[nodiscard]] ExpectedCost cost_of_shortest_paths();

}  // namespace kport
