/// @file judge.hpp   From a derivation to the answer: the arguments made public, and whether each bound can be reached.
#pragma once

#include "algorithms/bounds/derive.hpp"
#include "algorithms/bounds/schedules.hpp"

namespace kport::bounds {

/// What is known about an operation on a machine beyond its bounds.
struct Knowledge {
    std::vector<Schedule> schedules;
    std::optional<Refutation> rounds;
    std::optional<Refutation> work;
    std::optional<Refutation> path_sum;
    std::optional<Refutation> packets;
    std::string open_question;  ///< why it may be hard to decide; may be empty
};

[[nodiscard]] Knowledge knowledge_of(const Facts& facts, const Derivation& found);

/// The public form. A bound is reachable if a known schedule meets it, unreachable if a refutation excludes it.
[[nodiscard]] Bounds publish(const Facts& facts, const Derivation& found, const Knowledge& knowledge);

}  // namespace kport::bounds
