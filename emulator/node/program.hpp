/// @file program.hpp   A node program: the coroutine that every virtual node runs.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

#include "emulator/node/running.hpp"

namespace KPORT_PUBLIC kport {

/// The return type of a node program. The body starts when an engine resumes it, never by itself; it may await the
/// operations of its Node and other programs, like procedure calls:
///
///     Program scatter_then_gather(Node& self, ...) {
///         co_await scatter(self, ...);
///         co_await gather(self, ...);
///     }
///
/// Awaits    nothing else: the engine alone resumes a program, so an awaitable of another kind must not keep its handle.
/// Memory    frames come from the pool of the running task and go back to it at the end; they end with their run. A program that
///           is kept beyond its run is none any more: what its variables own is not destroyed.
/// Control   every suspension returns to the engine's loop, which resumes the innermost program: a chain of a million
///           calls needs no machine stack (symmetric transfer would: gcc bug 100897).
/// Errors    an exception that leaves a program is thrown again in the program that awaits it, at last in the engine.
class [[nodiscard]] Program {
  public:
    struct promise_type;
    using Handle = std::coroutine_handle<promise_type>;

    struct promise_type {
        Handle caller;  ///< the program that awaits this one; null for the node's outermost

        Program get_return_object() { return Program(Handle::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() noexcept { keep_error(); }

        static void* operator new(std::size_t bytes) {
            if (running.pool == nullptr) refuse_outside_run();
            return running.pool->allocate(bytes);
        }
        static void operator delete(void* frame, std::size_t bytes) { running.pool->deallocate(frame, bytes); }
    };

    Program(Program&& other) noexcept : handle_(std::exchange(other.handle_, {})), run_(other.run_) {}
    Program& operator=(Program&& other) noexcept {
        std::swap(handle_, other.handle_);
        std::swap(run_, other.run_);
        return *this;
    }
    ~Program() {
        if (*this) handle_.destroy();
    }

    /// Whether there is one: it was not moved from, and the run in which it was made is not over.
    explicit operator bool() const { return handle_ && running.pool != nullptr && running.pool->run() == run_; }
    /// Passes the frame to the caller, which must destroy it in this run; null if there is none.
    [[nodiscard]] Handle release() { return *this ? std::exchange(handle_, {}) : Handle(); }

    class Call;
    /// Runs this program to its end as part of the awaiting one. Throws std::invalid_argument if there is none.
    Call operator co_await() &&;

  private:
    [[noreturn]] static void refuse_none();
    [[noreturn]] static void refuse_outside_run();

    explicit Program(Handle handle) : handle_(handle), run_(running.pool->run()) {}
    Handle handle_;
    std::uint32_t run_;  ///< its number (FramePool::run())
};

class Program::Call {
  public:
    explicit Call(Handle callee) : callee_(callee) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(Handle caller) noexcept;
    void await_resume() const {
        if (running.failed) std::rethrow_exception(take_error());
    }

  private:
    Handle callee_;
};

inline Program::Call Program::operator co_await() && {
    if (!*this) refuse_none();
    return Call(handle_);
}

}  // namespace kport
