/// @file judge.hpp   From a derivation to the result: public arguments, and whether each bound can be reached.
#pragma once

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"
#include "algorithms/bounds/schedules.hpp"

namespace kport::bounds {

/// What is known about an operation on a machine beyond its bounds.
struct Knowledge {
    std::vector<KnownSchedule> schedules;
    std::optional<Refutation> rounds;
    std::optional<Refutation> work;
    std::optional<Refutation> path_sum;
    std::optional<Refutation> packets;
    std::string open_question;  ///< why it may be hard to decide; may be empty
};

/// The source of an operation's bounds.
struct Theory {
    Operation operation;
    Derivation (*derive)(const Facts&);
    std::vector<KnownSchedule> (*schedules)(const Facts&);        ///< known schedules of one packet
    void (*refute)(const Facts&, const Derivation&, Knowledge&);  ///< what else is known, for any M; null: nothing
};

/// Returns the schedules of M packets that the theory knows on the machine.
[[nodiscard]] std::vector<KnownSchedule> schedules_of(const Theory& theory, const Facts& facts);
/// Returns null for an operation without a theory.
[[nodiscard]] const Theory* theory_of(const Operation& operation);

/// kport::lower_bounds() with further known schedules, besides those of the operation's theory.
[[nodiscard]] Bounds lower_bounds(const Machine& machine, const Collective& collective, const SchedulesOf& besides);

/// Converts to the public form. A bound is reachable if a known schedule meets it, unreachable if a refutation excludes
/// it.
[[nodiscard]] Bounds publish(const Facts& facts, const Derivation& found, const Knowledge& knowledge);

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

/// Returns the arguments for the latency at these costs of all links, the largest first.
///
/// Where all messages of a round have the same size, or the same length, its slowest message has the round's longest path
/// and largest bundle both, and the three bounds add up. Bundles on a wormhole machine may differ in both, and then the
/// sum is no bound: gathering at node 5 of line:15, rda-product takes 4 rounds and 632 time units at ts = 100, td = 1 and
/// mu tm = 16, whereas 4 ts + 9 td + 14 mu tm = 633. There we state two sums that are bounds: all hops with one packet
/// a round, and all bytes with one hop a round.
[[nodiscard]] std::vector<Argument> latency_arguments(const Facts& facts, const Derivation& found, const Costs& costs);

}  // namespace kport::bounds
