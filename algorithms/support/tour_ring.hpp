/// @file tour_ring.hpp   The preorder of a spanning tree as a ring, whose paths together traverse each channel of the
///                       tree once.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "algorithms/support/euler_tour.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

/// A node's neighbours on the ring.
struct TourRing {
    TourRing(const EulerTour& tour, NodeId v, NodeId nodes)
        : next(tour.node((tour.number(v) + 1) % nodes)), previous(tour.node((tour.number(v) + nodes - 1) % nodes)) {}

    NodeId next;
    NodeId previous;
};

/// Each node sends to the next and receives from the one before it in every round.
[[nodiscard]] inline std::optional<std::string> misfit_tour_ring(const Machine& machine,
                                                                 const AlgorithmOptions& options) {
    return first_of({needs_tour(machine), needs_full_duplex(machine), needs_full_links(machine),
                     needs_partners(machine), needs_table(machine), takes_no_options(options)});
}

/// Returns rounds, work and path sum of N - 1 rounds.
[[nodiscard]] inline ExpectedCost tour_ring_cost(const Machine& machine) {
    const NodeId nodes = machine.topology->nodes();
    const EulerTour tour(*machine.topology, 0);
    Hops longest = 0;
    for (NodeId v = 0; v < nodes && nodes > 1; ++v)
        longest = std::max<Hops>(longest, tour.route(v, TourRing(tour, v, nodes).next).size());
    const std::uint64_t rounds = nodes - 1;
    return {rounds,
            2 * rounds * rounds,
            rounds * longest,
            std::nullopt,
            {fmt::format("the ring has {}: {}", counted(nodes, "node"), counted(rounds, "round")),
             fmt::format("the paths of a round walk once round the tree, 2 * {} hops: work {}; the longest has {}",
                         rounds, 2 * rounds * rounds, longest)}};
}

}  // namespace kport
