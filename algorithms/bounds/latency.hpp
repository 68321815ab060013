/// @file latency.hpp   The bound on latency, composed from those on rounds, path sum and volume.
#pragma once

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {

/// The terms of a latency: startups, hops and bytes.
struct Terms {
    Count startups = 0;
    Count hops = 0;
    Count bytes = 0;

    /// Returns the latency in time units.
    [[nodiscard]] double value(const Costs& costs) const;
    /// Returns "10 ts + 10 td + 640 tm".
    [[nodiscard]] std::string text() const;
};

/// Returns the arguments for the latency, the largest first.
///
/// Where all messages of a round have the same size, or the same length, its slowest message has the round's longest path
/// and largest bundle both, and the three bounds add up. Bundles on a wormhole machine may differ in both, and then the
/// sum is no bound: gathering at node 5 of line:15, rda-product takes 4 rounds and 632 time units at ts = 100, td = 1 and
/// mu tm = 16, whereas 4 ts + 9 td + 14 mu tm = 633. There we state two sums that are bounds: all hops with one packet
/// a round, and all bytes with one hop a round.
[[nodiscard]] std::vector<Argument> latency_arguments(const Facts& facts, const Derivation& found);

}  // namespace kport::bounds
