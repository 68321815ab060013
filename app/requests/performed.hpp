/// @file performed.hpp   A run of a command, wherever its programs run.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "app/requests/request.hpp"

namespace kport::requests {

/// What a command wants of a run besides its outcome.
struct Wanted {
    bool transfers = false;
    bool phases = false;
    std::function<void(const Chosen&)> before = {};  ///< called when the algorithm is chosen; may be empty
    /// Called where the run was, if it kept all rules; may be empty.
    std::function<std::optional<Prediction>(const Report&, const Chosen&)> prediction = {};
};

struct Performed {
    Chosen chosen;
    Outcome outcome;
    Schedule moved;                 ///< if wanted
    std::vector<PhaseTime> phases;  ///< if wanted
};

/// Runs the experiment of the words, with signs of life: here, or where the client runs code that is in a file.
///
/// Errors   as planned() and run(); NoVerdict if the process with the code gave no complete schedule.
[[nodiscard]] Performed performed(Request& request, const Experiment& experiment, const Wanted& wanted);
/// Runs it here, by an algorithm of the catalogue.
[[nodiscard]] Performed performed_here(Request& request, const Experiment& experiment, const Wanted& wanted);

}  // namespace kport::requests
