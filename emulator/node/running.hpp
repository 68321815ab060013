/// @file running.hpp   Which node the calling thread runs, and where its frames come from.
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "emulator/node/frame_pool.hpp"

namespace kport {

class Node;

/// Set by an engine around every resumption of a node program. Programs never see it: it is how a coroutine, whose
/// frame is made before it can know its node, finds the memory of the task that makes it.
struct Running {
    FramePool* pool = nullptr;
    Node* node = nullptr;
    /// Something escaped from the program that has just ended, and stands in `error` until its caller or the engine takes
    /// it. It stands here and not in every frame, because a million frames wait and one program ends at a time.
    bool failed = false;
    /// Where a std::exception_ptr is, while `failed`: bytes, so that the whole needs no code to come into being (it is
    /// looked at millions of times), and in place, because what escapes may be that there is no memory left.
    alignas(std::exception_ptr) std::array<std::byte, sizeof(std::exception_ptr)> error{};
};
inline constinit thread_local Running running;

/// Keeps the exception that is being handled. Requires !running.failed.
inline void keep_error() noexcept {
    ::new (running.error.data()) std::exception_ptr(std::current_exception());
    running.failed = true;
}

/// Takes what escaped. Requires running.failed.
[[nodiscard]] inline std::exception_ptr take_error() noexcept {
    auto* kept = std::launder(reinterpret_cast<std::exception_ptr*>(running.error.data()));
    std::exception_ptr error = std::move(*kept);
    std::destroy_at(kept);
    running.failed = false;
    return error;
}

}  // namespace kport
