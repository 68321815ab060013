/// @file phases.hpp   The phases of a run, each judged by a promise of its own.
#pragma once

#include <vector>

#include "app/session/choose.hpp"
#include "app/session/run.hpp"

namespace kport {

/// Runs each phase of an algorithm that has some by itself, without bytes, and puts it beside its own bounds. What a phase costs that
/// promises nothing by itself is what the others leave of the whole (ComposedPhase::carries_rest). `whole`: the report of the run. Empty where the
/// algorithm has no phases. Throws as run().
[[nodiscard]] std::vector<Report> reports_of_phases(const Chosen& chosen, const Caller& caller, const Report& whole);

}  // namespace kport
