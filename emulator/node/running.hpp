/// @file running.hpp   Which node the calling thread runs, and where its frames come from.
#pragma once

#include <exception>
#include <memory>
#include <utility>

#include "emulator/node/frame_pool.hpp"

namespace kport {

class Node;

/// Set by an engine around every resumption of a node program. Programs never see it: it is how a coroutine, whose
/// frame is made before it can know its node, finds the memory of the task that makes it.
struct Running {
    FramePool* pool = nullptr;
    Node* node = nullptr;
    /// What escaped from the program that has just ended, until its caller or the engine takes it. It stands here and not
    /// in every frame, because a million frames wait and one program ends at a time.
    /// Owned; a plain pointer, so that the whole needs no code to come into being: it is looked at millions of times.
    std::exception_ptr* error = nullptr;
};
inline constinit thread_local Running running;

/// Takes what escaped. Requires running.error.
[[nodiscard]] inline std::exception_ptr take_error() {
    const std::unique_ptr<std::exception_ptr> error(std::exchange(running.error, nullptr));
    return *error;
}

}  // namespace kport
