/// @file questions.hpp   The questions to the engine and their goals.
#pragma once

#include <vector>

#include "bench/support/question.hpp"

namespace kport::bench {

/// All questions; `large` adds the one that needs up to 20 GiB.
[[nodiscard]] std::vector<Question> questions_of_goals(bool large);

}  // namespace kport::bench
