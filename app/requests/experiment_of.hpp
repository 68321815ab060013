/// @file experiment_of.hpp   What was asked for, understood: every word checked, nothing allocated.
#pragma once

#include <memory>

#include "app/files/told_schedule.hpp"
#include "app/requests/command_line.hpp"
#include "app/session/experiment.hpp"

namespace kport::requests {

/// Throws RequestError for a word that is wrong, DoesNotFit for a topology whose ports outgrow their type.
///
/// topology   that of --on, where it is known already; it can take long to make.
[[nodiscard]] Experiment experiment_of(const Words& words, std::shared_ptr<const Topology> topology = nullptr);

/// That of --on. Throws as experiment_of().
[[nodiscard]] std::shared_ptr<const Topology> topology_of(const Words& words);

/// What the words say of a schedule in a file; the rest the file says. Throws as experiment_of().
[[nodiscard]] ScheduleContext schedule_context_of(const Words& words);
/// A machine with the ports, rules and prices that the words name; the others stay.
[[nodiscard]] Machine machine_of(const Words& words, const Machine& otherwise);

}  // namespace kport::requests
