/// @file question.hpp   Contenders that take turns, and their goals.
///
/// Contenders take turns (A B A B ...), each run in a fresh process: a busy moment of the machine affects all of them, and
/// none profits from memory that another has warmed. One table a question shows ns a message, the ratio to the yardsticks of
/// the same turns, and the goal.
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
    bool once = false;  ///< a process cannot run it twice
};

struct Question {
    std::string title;
    std::vector<Row> rows;
    int turns_max = 1000;
};

/// The main of a bench that asks questions. Returns its exit status: 0 if every result is right, whatever the goals say.
///
///     [--turns=N] [--clock=wall|cpu] [--large] [--only=TEXT]
///
/// --clock=cpu compares processor time instead of wall time: better for one thread's work on a shared machine (never for a
/// speed-up by threads). --large asks `questions(true)`, else `questions(false)`. --only: those with TEXT in their title.
[[nodiscard]] int ask_all(const std::vector<std::string>& arguments,
                          const std::function<std::vector<Question>(bool)>& questions);

}  // namespace kport::bench
