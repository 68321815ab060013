/// @file execution.hpp   From settings to a finished run: which algorithm, whether it fits, the run, its report.
#pragma once

#include <optional>

#include "algorithms/choice.hpp"
#include "cli/settings.hpp"
#include "emulator/report/report.hpp"

namespace kport::cli {

/// Lower bounds in the form of a report.
[[nodiscard]] BoundLines bound_lines(const Bounds& bounds);

/// The algorithm that runs.
struct Chosen {
    const Algorithm* algorithm = nullptr;
    AlgorithmOptions options;      ///< those asked for, and what the choice set besides
    std::optional<Choice> choice;  ///< nothing where the user named it
};

/// For commands that run nothing: throws RequestError, in the words of a run, for an algorithm that does not run as asked and
/// for --keep or --dimensions that no algorithm takes here. No algorithm at all is no error.
void require_known_options(const Settings& settings);

/// The algorithm asked for, or the best that applies. Throws RequestError.
[[nodiscard]] Chosen chosen_algorithm(const Settings& settings);

/// Throws RequestError where the catalogue has no algorithm for the operation.
void require_algorithms(const Operation& operation);

/// Runs the algorithm, with signs of life on standard error; ends early when interrupted() is set. Throws DoesNotFit
/// before anything is allocated, and what the engine throws.
[[nodiscard]] Report execute(const Settings& settings, const Algorithm& algorithm);

}  // namespace kport::cli
