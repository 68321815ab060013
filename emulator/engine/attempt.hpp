/// @file attempt.hpp   A fast run, which has a result or fails: then the full run explains why.
#pragma once

#include <atomic>
#include <new>

namespace kport {

/// Thrown by a part of an attempt at whatever only a full run can explain.
struct Unexplained {};

/// Whether a fast run has failed. It serves lawful runs only: where a rule may be broken, or the text of the programs throws, it has no
/// result, and the run is repeated in full (run_lockstep()).
///
/// Callers   several threads. Nothing else is handed over with the flag.
class Attempt {
  public:
    /// Runs a part. The attempt fails if it throws. Passes on std::bad_alloc, which the full run would not explain.
    template <class Part>
    void make(const Part& part) {
        try {
            part();
        } catch (const std::bad_alloc&) {
            throw;
        } catch (...) {
            fail();
        }
    }
    void fail() { has_failed_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool has_failed() const { return has_failed_.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> has_failed_ = false;
};

}  // namespace kport
