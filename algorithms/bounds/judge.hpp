/// @file judge.hpp   From a derivation to the answer: the arguments made public, and whether each bound can be reached.
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

/// Where the bounds of an operation come from.
struct Theory {
    Operation operation;
    Derivation (*derive)(const Facts&);
    std::vector<KnownSchedule> (*schedules)(const Facts&);        ///< that are known, of one packet
    void (*refute)(const Facts&, const Derivation&, Knowledge&);  ///< what is known besides, of any M; null: nothing
};

/// The schedules of M packets of each that the theory knows on the machine.
[[nodiscard]] std::vector<KnownSchedule> schedules_of(const Theory& theory, const Facts& facts);
/// Null for an operation of which nothing is known here.
[[nodiscard]] const Theory* theory_of(const Operation& operation);

/// kport::lower_bounds(), where schedules are known besides those that the theory of the operation has.
[[nodiscard]] Bounds lower_bounds(const Machine& machine, const Collective& collective, const SchedulesOf& besides);

/// The public form. A bound is reachable if a known schedule meets it, unreachable if a refutation excludes it.
[[nodiscard]] Bounds publish(const Facts& facts, const Derivation& found, const Knowledge& knowledge);

}  // namespace kport::bounds
