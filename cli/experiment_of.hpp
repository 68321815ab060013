/// @file experiment_of.hpp   What was asked for, understood: every word checked, nothing allocated.
#pragma once

#include "cli/command_line.hpp"
#include "files/told_schedule.hpp"
#include "session/experiment.hpp"

namespace kport::cli {

/// Throws RequestError for a word that is wrong, DoesNotFit for a topology whose ports outgrow their type.
[[nodiscard]] Experiment experiment_of(const Words& words);

/// What the words say of a schedule in a file; the rest the file says. Throws as experiment_of().
[[nodiscard]] ScheduleContext schedule_context_of(const Words& words);

}  // namespace kport::cli
