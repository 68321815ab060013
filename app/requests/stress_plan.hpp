/// @file stress_plan.hpp   The options of kport stress.
#pragma once

#include <vector>

#include "app/requests/answer.hpp"
#include "app/stress/stress.hpp"

namespace kport::requests {

struct StressPlan {
    std::vector<Subject> subjects;  ///< empty: the whole catalogue
    Operation operation = Operation::broadcast;
    StressOptions options;
};

/// Parses and checks the words of `kport stress`. Throws RequestError.
[[nodiscard]] StressPlan stress_plan_of(const Words& words);

}  // namespace kport::requests
