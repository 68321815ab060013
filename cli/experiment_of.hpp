/// @file experiment_of.hpp   What was asked for, understood: every word checked, nothing allocated.
#pragma once

#include "cli/command_line.hpp"
#include "session/experiment.hpp"

namespace kport::cli {

/// Throws RequestError for a word that is wrong, DoesNotFit for a topology whose ports outgrow their type.
[[nodiscard]] Experiment experiment_of(const Words& words);

}  // namespace kport::cli
