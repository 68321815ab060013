/// @file attended.hpp   Runs that a user attends: signs of life on standard error, Ctrl-C.
#pragma once

#include <optional>
#include <string>

#include "app/cli/progress.hpp"
#include "app/session/run.hpp"

namespace kport::cli {

/// The caller of runs, one after the other; must outlive them.
class Attended {
  public:
    Attended() = default;
    Attended(const Attended&) = delete;
    Attended& operator=(const Attended&) = delete;

    /// A run of it ends early when interrupted() is set.
    [[nodiscard]] Caller caller();

  private:
    void begin(const Chosen& chosen);
    void tell_computing(const Computing& computing);
    void end(const Outcome& outcome);

    Experiment experiment_;  ///< the one that runs
    std::optional<ProgressDisplay> progress_;
    std::optional<Meanwhile> set_up_;  ///< while tables and plans are made
};

/// Why the command ends here and now, where a node program computes on and on: it was asked to stop, or a program in a file has
/// had its time. `what`: text(computing, ...).
[[nodiscard]] std::optional<std::string> given_up(const Computing& computing, const std::string& what);

}  // namespace kport::cli
