/// @file step_matching.hpp   Which receive takes which send in programs of ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/files/ranked_steps.hpp"

namespace kport {

/// What is said of receives of any rank.
struct StepMatching {
    std::vector<std::string> remarks;   ///< which rank's send each of them takes
    std::vector<NotJudged> not_judged;  ///< the first of them that could take another one, with another effect
};

/// Sets the partners. The ranks are executed: a step is posted as soon as all that it requires is done, and of the steps that fit the
/// first posted is matched first. A receive of any rank takes a send only where nothing else can go on, and leaves a rank the sends
/// that its other receives need. Steps that cannot be reached are matched in the order of the file. O(S log S) for S steps, and the
/// number of ranks that send at the same time for each receive of any rank.
[[nodiscard]] StepMatching match_steps(std::vector<RankedStep>& steps);

}  // namespace kport
