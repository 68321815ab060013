/// @file judge.hpp   From a derivation to the result: public arguments, and whether each bound can be reached.
#pragma once

#include "algorithms/bounds/derive.hpp"
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

}  // namespace kport::bounds
