/// @file choose.hpp   Which algorithm an experiment runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/choice.hpp"
#include "app/session/experiment.hpp"

namespace KPORT_PUBLIC kport {

/// An experiment and the algorithm that runs it.
struct Chosen {
    Experiment experiment;  ///< as asked for, with the options that the choice set besides
    const Algorithm* algorithm = nullptr;
    std::optional<Choice> choice;  ///< nothing where the algorithm was named
    struct TooLarge {
        const Algorithm* algorithm;
        double bytes;  ///< that it needs
    };
    std::vector<TooLarge> too_large;  ///< those that would have been chosen, but do not fit into this computer's memory
    bool only_agreeing = false;       ///< others would run, but may break the rule that results agree

    /// Why this one: Choice::reason(), and which do not fit; empty where it was named or no other applies.
    [[nodiscard]] std::string reason() const;
};

/// The algorithm asked for, or the best that applies. Throws RequestError. It may take tables of the machine's size: admit()
/// the experiment first.
[[nodiscard]] Chosen choose(const Experiment& experiment);

/// Throws RequestError where the catalogue has no algorithm for the operation.
void require_algorithms(const Operation& operation);

/// Throws RequestError, in the words of choose(), where no algorithm runs the experiment, however much memory there were.
void require_runnable(const Experiment& experiment);

/// For callers that run nothing: throws RequestError, in the words of a run, for an algorithm that does not run as asked and for
/// options.keep or options.dimensions that no algorithm takes here. No algorithm at all is no error.
void require_known_options(const Experiment& experiment);

}  // namespace kport
