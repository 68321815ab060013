/// @file arena.hpp   The threads of an engine.
#pragma once

#include <oneapi/tbb/task_arena.h>

namespace kport {

/// The caller's arena, if it has so many slots: a caller may bring its own threads, such as pinned
/// ones. Else a new one.
[[nodiscard]] inline tbb::task_arena arena_for(unsigned threads) {
    const auto slots = static_cast<int>(threads);
    const bool in_arena = tbb::this_task_arena::current_thread_index() != tbb::task_arena::not_initialized;
    return in_arena && tbb::this_task_arena::max_concurrency() == slots ? tbb::task_arena(tbb::task_arena::attach())
                                                                        : tbb::task_arena(slots);
}

}  // namespace kport
