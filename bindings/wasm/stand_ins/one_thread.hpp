/// @file one_thread.hpp   What libc++ leaves out where there are no threads: locks that are always free, and threads that never begin.
#pragma once

#include <__mutex/lock_guard.h>

namespace std {

class mutex {
  public:
    void lock() {}
    void unlock() {}
    bool try_lock() { return true; }
};
class shared_mutex : public mutex {
  public:
    void lock_shared() {}
    void unlock_shared() {}
};
class recursive_mutex : public mutex {};

template <class Mutex>
class unique_lock {
  public:
    unique_lock() = default;
    template <class... How>
    explicit unique_lock(Mutex&, const How&...) {}
    void lock() {}
    void unlock() {}
    [[nodiscard]] bool owns_lock() const { return true; }
    explicit operator bool() const { return true; }
};
template <class Mutex>
class shared_lock : public unique_lock<Mutex> {
    using unique_lock<Mutex>::unique_lock;
};
template <class... Mutexes>
class scoped_lock {
  public:
    explicit scoped_lock(Mutexes&...) {}
    ~scoped_lock() {}  // so that a lock is not an unused variable
};

class stop_token {
  public:
    [[nodiscard]] bool stop_requested() const { return true; }
};
class condition_variable_any {
  public:
    void notify_one() {}
    void notify_all() {}
    template <class Lock, class... More>
    bool wait_for(Lock&, const More&...) {
        return true;
    }
    template <class Lock, class... More>
    bool wait(Lock&, const More&...) {
        return true;
    }
};
class condition_variable : public condition_variable_any {};

class thread {
  public:
    [[nodiscard]] bool joinable() const { return false; }
    void join() {}
    void detach() {}
    static unsigned hardware_concurrency() { return 1; }
};
/// Watches nothing in a page: its worker is ended instead.
class jthread : public thread {
  public:
    jthread() = default;
    template <class Function>
    explicit jthread(const Function&) {}
    void request_stop() {}
};
namespace this_thread {
inline void yield() {}
template <class Duration>
void sleep_for(const Duration&) {}
}  // namespace this_thread

}  // namespace std
