/// @file outcome.hpp   One run of a contender: time, memory, correctness.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "emulator/base/types.hpp"

namespace kport::bench {

/// Times are those of the whole run, with set-up and teardown, without the check of the result.
struct Outcome {
    double wall_ns = 0;
    double cpu_ns = 0;             ///< of all threads together
    std::uint64_t peak_bytes = 0;  ///< peak resident memory minus that before the run
    std::uint64_t messages = 0;
    NodeId nodes = 0;
    bool right = false;

    [[nodiscard]] double ns_a_message() const { return wall_ns / static_cast<double>(messages); }
    [[nodiscard]] double cpu_ns_a_message() const { return cpu_ns / static_cast<double>(messages); }
    [[nodiscard]] double bytes_a_node() const { return static_cast<double>(peak_bytes) / static_cast<double>(nodes); }
};

/// Solves a case in its own way: "Broadcast/bare_coroutines/hypercube:20".
struct Contender {
    std::string name;
    std::function<Outcome()> run;
};

/// A stopwatch that can be stopped while a result is checked, and a gauge of resident memory.
///
/// First it returns memory that earlier runs left in the allocator to the system: otherwise the second run of a contender
/// that uses malloc would have warm pages, while one that uses mmap pays for them each time.
class Measurement {
  public:
    Measurement();
    void pause();
    void go_on();
    /// Call it while paused.
    [[nodiscard]] Outcome outcome(std::uint64_t messages, NodeId nodes, bool right) const;

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point wall_start_;
    std::int64_t cpu_start_ = 0;
    double wall_ns_ = 0;
    double cpu_ns_ = 0;
    std::uint64_t resident_before_ = 0;
};

/// True if the benches run with small sizes, as tests that they still work.
[[nodiscard]] bool tiny();

}  // namespace kport::bench
