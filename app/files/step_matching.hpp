/// @file step_matching.hpp   Which receive takes which send in programs of ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/files/ranked_steps.hpp"

namespace kport {

/// Remarks on receives from any rank.
struct StepMatching {
    std::vector<std::string> remarks;   ///< which rank's send each of them takes
    std::vector<NotJudged> not_judged;  ///< the first of them that could take another send, with a different effect
};

/// Sets the partners. The ranks are executed: a step is posted when all that it requires is done, and of the steps that
/// fit, the first posted is matched first. A receive from any rank takes a send only if nothing else can proceed, and
/// leaves a rank the sends that its other receives need. Unreachable steps are matched in the order of the file. O(S
/// log S) for S steps, and the number of concurrently sending ranks for each receive from any rank.
[[nodiscard]] StepMatching match_steps(std::vector<RankedStep>& steps);

}  // namespace kport
