/// @file running.hpp   The node that the calling thread runs, and the pool of its frames.
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "emulator/payload/slabs.hpp"

namespace KPORT_PUBLIC kport {

class Node;

/// Set by an engine (RunsNodes) around every resumption of a node program, and invisible to programs: through it a coroutine, whose
/// frame is made before it knows its node, finds the pool of the task that makes it.
struct Running {
    FramePool* pool = nullptr;
    Node* node = nullptr;
    /// An exception has left the program that has just ended; `error` holds it until its caller or the engine takes
    /// it. It is here and not in every frame, because a million frames wait and one program ends at a time.
    bool failed = false;
    /// The storage of a std::exception_ptr, while `failed`: bytes, so that this needs no constructor (it is
    /// accessed millions of times), and in place, because the exception may be std::bad_alloc.
    alignas(std::exception_ptr) std::array<std::byte, sizeof(std::exception_ptr)> error{};
};
inline constinit thread_local Running running;

/// Keeps the exception that is being handled. Requires !running.failed.
inline void keep_error() noexcept {
    ::new (running.error.data()) std::exception_ptr(std::current_exception());
    running.failed = true;
}

/// Takes the exception. Requires running.failed.
[[nodiscard]] inline std::exception_ptr take_error() noexcept {
    auto* kept = std::launder(reinterpret_cast<std::exception_ptr*>(running.error.data()));
    std::exception_ptr error = std::move(*kept);
    std::destroy_at(kept);
    running.failed = false;
    return error;
}

/// The calling thread runs nodes whose frames are of this pool, for as long as this lives: then it does what it did before,
/// usually nothing of the kind, also where an exception ends it.
class RunsNodes {
  public:
    explicit RunsNodes(FramePool& pool) noexcept : before_(std::exchange(running, Running{&pool})) {}
    RunsNodes(const RunsNodes&) = delete;
    RunsNodes& operator=(const RunsNodes&) = delete;
    ~RunsNodes() {
        if (running.failed) (void)take_error();
        running = before_;
    }

  private:
    Running before_;
};

}  // namespace kport
