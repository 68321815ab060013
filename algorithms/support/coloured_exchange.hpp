/// @file coloured_exchange.hpp   Exchanges across the links of one colour after the other, planned for any graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// A link, with the ports of its ends; low < high.
struct ColouredLink {
    NodeId low;
    NodeId high;
    Port of_low;
    Port of_high;
};

/// Returns the links by colour, no two of one colour at a node: in the order of (low, high) each gets the least colour
/// free at both ends. At most 2 max_degree - 1 colours; on hypercubes the dimensions, on even rings and lines two.
/// O(links * degree / 64).
[[nodiscard]] std::vector<std::vector<ColouredLink>> coloured_links(const Topology& topology);

/// The rounds take the colours in turn, skipping those in which nothing would move; both ends of each link send all
/// that the other lacks. All-to-all broadcast; in an all-to-all scatter the packet from o to d takes the path that o's
/// packet took to d.
///
/// Cost  O(rounds * links * N / 64) and O(N^3 / 64).
[[nodiscard]] Schedule planned_allgather(const Topology& topology, std::uint64_t packets_each);
[[nodiscard]] Schedule planned_alltoall(const Topology& topology, std::uint64_t packets_each);

/// Returns the size of these plans without planning. On machines of up to 2^11 nodes all origins are followed, or a
/// sample that takes some hundredths of a second.
///
/// of_pairs   for the all-to-all scatter
[[nodiscard]] PlanSize size_of_coloured_exchange(const Topology& topology, bool of_pairs);

/// Returns why they do not apply: a node has one partner a round, with which it exchanges.
[[nodiscard]] std::optional<std::string> misfit_coloured_exchange(const Machine& machine, const Collective&,
                                                                  const AlgorithmOptions& options);

/// Returns the costs of one of these plans: counted where it is small, derived on even rings, else why nothing is known
/// in advance.
///
/// volume_on_ring   volume on a ring of N nodes, N even
[[nodiscard]] ExpectedCost expect_coloured_exchange(Schedule (*planned)(const Topology&, std::uint64_t),
                                                    const PlanSize& size, std::uint64_t volume_on_ring,
                                                    const Machine& machine, const Collective& collective);

}  // namespace kport
