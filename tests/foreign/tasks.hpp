/// @file tasks.hpp   Sends and receives of ranks with an order and without packets: what GOAL and SimGrid have in common.
#pragma once

#include "tests/foreign/reach.hpp"
#include "tests/foreign/verdict.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace foreign {

constexpr int any = -1;

struct Task {
    enum class Kind { send, receive, other };
    Kind kind = Kind::other;
    int rank = 0;
    int peer = any;                          ///< of a receive: or any
    long long tag = any;                     ///< of a receive: or any
    std::optional<std::uint64_t> size = {};  ///< of a receive: none takes all
    std::size_t start = 0, finish = 0;       ///< events of Tasks::reach
};

/// Tasks in the order in which each rank posts them.
struct Tasks {
    int ranks = 0;
    std::vector<Task> tasks = {};
    Reach reach = {};
    std::vector<std::string> not_judged = {};

    std::size_t add(Task task) {
        task.start = reach.event();
        task.finish = reach.event();
        reach.before(task.start, task.finish);
        tasks.push_back(task);
        return tasks.size() - 1;
    }
};

Verdict judge_tasks(Tasks tasks, const Question& question);

}  // namespace foreign
