/// @file questions.hpp   The questions to the engine and their goals.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/support/outcome.hpp"

namespace kport::bench {

/// The goal of a row.
struct Goal {
    enum class Kind { none, times_other_at_most, speedup_at_least, bytes_a_node_at_most, gibibytes_at_most };
    Kind kind = Kind::none;
    double value = 0;
    std::string other;  ///< the row it is compared with
};

struct Row {
    std::string label;
    std::function<Outcome()> run;
    Goal goal;
};

struct Question {
    std::string title;
    std::vector<Row> rows;
    int turns_max = 1000;
};

/// All questions; `large` adds the one that needs up to 20 GiB.
[[nodiscard]] std::vector<Question> questions(bool large);

}  // namespace kport::bench
