/// @file shortest_paths.hpp   Packets along shortest paths, planned link by link for any graph and machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Packets that travel together from one node to another.
struct Parcel {
    NodeId from;
    NodeId to;
    PacketBlock packets;
};

/// Adds the parcels for some rows of packets of one pair of nodes: one where messages hold several packets, else one
/// for each.
void add_parcels(std::vector<Parcel>& parcels, const Machine& machine, const Parcel& all);

/// Each parcel goes along the route of the graph, a link a round. Among those that compete for a port or a link, those
/// with the longest way to go are first, then those that have been waiting, then the order of the list; where machines
/// combine, all that cross a link in a round go in one message. Keeps the rules of every machine. Terminates, because
/// the first parcel of a round finds everything free.
///
/// Cost  O(parcels * rounds), and a search of the graph from each target where it has no formula for routes.
[[nodiscard]] Schedule along_shortest_paths(const Machine& machine, const std::vector<Parcel>& parcels);

/// How many parcels go how far: at most the links that all of them cross.
struct Journeys {
    double parcels;
    double links;
};

/// Return why they are not planned, and the size of their plan.
[[nodiscard]] std::optional<std::string> misfit_shortest_paths(const Machine& machine, const Journeys& journeys);
[[nodiscard]] PlanSize plan_of_shortest_paths(const Journeys& journeys);

/// Returns what is known of the cost if the plan is too large to be counted.
[[nodiscard]] ExpectedCost cost_of_shortest_paths();

}  // namespace kport
