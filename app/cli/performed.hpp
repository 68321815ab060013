/// @file performed.hpp   A run of a command, wherever its programs run: those of the catalogue here, those of a file in a process of its
///                       own, whose schedule is judged here.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "app/cli/command_line.hpp"
#include "app/session/run.hpp"

namespace kport::cli {

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

/// Runs the experiment of the words, with signs of life. If they name a file, compiles it; the counts, the verdict and the status then
/// come from the transfers that its process reports, judged here. In that process it does not return.
///
/// Errors   as planned() and run(); NoVerdict if the process with the code gave no complete schedule.
[[nodiscard]] Performed performed(const Words& words, const Experiment& experiment, const Wanted& wanted);

}  // namespace kport::cli
