/// @file contender.hpp   What a cell of a bench measures: a task, and timed contenders that take turns.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/experiment.hpp"

namespace kport::measure {

/// A time interval.
struct Lap {
    double seconds = 0;
    double cpu_seconds = 0;  ///< of all threads of the process
};

/// Returns the time of some work.
[[nodiscard]] Lap timed(const std::function<void()>& work);

/// One way to do the work of a cell.
struct Contender {
    std::string name;
    /// Does the work `times` times and returns the total time, without set-up, verification and teardown.
    std::function<Lap(std::uint64_t times)> run;
};

/// When to stop.
struct Turns {
    std::uint64_t repetitions = 0;  ///< 0: as many as fit into `seconds`, from repetitions_least to repetitions_most
    double seconds = 1;
    const std::atomic<bool>* stop = nullptr;             ///< set by any thread: ends with the samples so far
    std::function<void(std::uint64_t repetition)> tell;  ///< called before each repetition
};
inline constexpr std::uint64_t repetitions_least = 10;
inline constexpr std::uint64_t repetitions_most = 10'000;

/// The times of one contender.
struct Timing {
    std::string contender;
    std::uint64_t times = 1;  ///< runs of the work in a repetition: more than 1 if one is too short for the clock
    std::vector<Lap> laps;    ///< one for each repetition, divided by `times`

    [[nodiscard]] std::vector<double> seconds() const;
};

/// Warms all contenders up, then runs them in turns, A B A B, so that other load affects all of them equally.
///
/// Callers   one at a time.
[[nodiscard]] std::vector<Timing> take_turns(const std::vector<Contender>& contenders, const Turns& turns);

/// What a cell of a bench measures: an operation on a machine, by an algorithm, on an engine.
struct Task {
    Experiment experiment;
    const Algorithm* algorithm = nullptr;
    bool replay = false;  ///< no engine: moves the bytes of a schedule recorded in lockstep

    /// Returns "lockstep", "free", "replay".
    [[nodiscard]] std::string_view moved_by() const { return replay ? "replay" : kport::name(experiment.engine); }

    [[nodiscard]] const Topology& topology() const { return experiment.topology(); }
    /// Returns "broadcast/sbt/hypercube:10/1-port/8/lockstep/threads:2"; differences from a plain machine follow the
    /// ports.
    [[nodiscard]] std::string name() const;
};

/// Returns the bytes that all nodes hold together at the end, or at the start if that is more; a double, because a
/// request may be absurdly large.
[[nodiscard]] double bytes_held(const Task& task);

}  // namespace kport::measure
