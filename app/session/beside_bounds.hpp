/// @file beside_bounds.hpp   The result of a run becomes a report.
#pragma once

#include "app/session/run.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Writes the request, the result and the lower bounds into the outcome's report, and decides how the run ended. Keeps the injected
/// faults that the report already has.
void put_beside_bounds(const Chosen& chosen, RunResult result, Outcome& outcome);

/// Writes into the report where the transfers of its run, or of its schedule, load the machine.
void put_hotspots(Report& report, const Schedule& transfers);

}  // namespace kport
