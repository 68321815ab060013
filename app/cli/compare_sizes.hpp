/// @file compare_sizes.hpp   kport compare --message: which algorithm is the cheapest from which size on.
#pragma once

#include "app/cli/command_line.hpp"
#include "app/session/experiment.hpp"

namespace kport::cli {

/// Predicts for each size of --message, and writes text, JSON or CSV, and with --plot a picture. Returns the exit status.
/// Throws RequestError.
[[nodiscard]] int compare_on_sizes(const Words& words, const Experiment& experiment);

}  // namespace kport::cli
