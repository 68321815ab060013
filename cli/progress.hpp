/// @file progress.hpp   A sign of life on standard error for runs that take more than two seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "emulator/audit/metrics.hpp"

namespace kport::cli {

/// On a terminal one line that is written over and cleared at the end; elsewhere a line every ten seconds.
class Progress {
  public:
    explicit Progress(std::uint64_t nodes);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// What moved so far.
    void show(const Metrics& metrics, std::uint64_t reached);

  private:
    using Clock = std::chrono::steady_clock;

    std::uint64_t nodes_;
    bool terminal_;
    bool line_shown_ = false;
    Clock::time_point start_ = Clock::now();
    Clock::time_point next_;
};

}  // namespace kport::cli
