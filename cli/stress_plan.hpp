/// @file stress_plan.hpp   What kport stress is asked for: from words to options.
#pragma once

#include <vector>

#include "cli/command_line.hpp"
#include "stress/stress.hpp"

namespace kport::cli {

struct StressPlan {
    std::vector<Subject> subjects;  ///< empty: the whole catalogue
    Operation operation = Operation::broadcast;
    StressOptions options;
};

/// Understands the words of `kport stress`. Throws RequestError.
[[nodiscard]] StressPlan stress_plan_of(const Words& words);

}  // namespace kport::cli
