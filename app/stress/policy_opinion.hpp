/// @file policy_opinion.hpp   Checks the arbitration of competing claims in lockstep against the umpire's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "emulator/audit/verdict.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Returns the umpire's objections to a lockstep run that ended: a message that moved in another round than it should
/// (model.md section 8), or (strict policy) different reports of what would have to wait. Empty if there are none, or
/// if it was stopped. An incomplete list of violations is not compared.
///
/// `asked`, `moved`, `verdict`: of the same run (RunOptions::asked, RunOptions::recorded_schedule).
[[nodiscard]] std::string policy_opinion(const std::vector<AskedSend>& asked, const Schedule& moved,
                                         const Machine& machine, const Collective& collective, const Verdict& verdict,
                                         const std::function<bool()>& stops = {});

}  // namespace kport
