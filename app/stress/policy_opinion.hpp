/// @file policy_opinion.hpp   The umpire beside lockstep: who goes when claims compete.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "emulator/audit/verdict.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// What the umpire objects to in a lockstep run that came to its end: a message that moved in another round than it should
/// (model.md section 8), or (strict policy) other reports of what would have to wait. Empty if nothing, or if he was told to
/// stop. Of a list of violations that is not complete it looks at none.
///
/// `asked`, `moved`, `verdict`: of the same run (RunOptions::asked, RunOptions::recorded_schedule).
[[nodiscard]] std::string policy_opinion(const std::vector<AskedSend>& asked, const Schedule& moved,
                                         const Machine& machine, const Collective& collective, const Verdict& verdict,
                                         const std::function<bool()>& stops = {});

}  // namespace kport
