/// @file contender.hpp   What is timed, and how the timed take turns.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kport::measure {

/// A stretch of time.
struct Lap {
    double seconds = 0;
    double cpu_seconds = 0;  ///< of all threads of the process together
};

/// The time that some work takes.
[[nodiscard]] Lap timed(const std::function<void()>& work);

/// Somebody who does the work of a cell in its own way.
struct Contender {
    std::string name;
    /// Does the work that many times, one after the other, and tells how long it took in all. What is set up, verified or
    /// torn down besides is left out of the time.
    std::function<Lap(std::uint64_t times)> run;
};

/// When to stop.
struct Turns {
    std::uint64_t repetitions = 0;  ///< 0: as many as fit into `seconds`, from repetitions_least to repetitions_most
    double seconds = 1;
    const std::atomic<bool>* stop = nullptr;             ///< set by anyone: what was measured so far is all
    std::function<void(std::uint64_t repetition)> tell;  ///< called before each repetition
};
inline constexpr std::uint64_t repetitions_least = 10;
inline constexpr std::uint64_t repetitions_most = 10'000;

/// What one contender took.
struct Timing {
    std::string contender;
    std::uint64_t times =
        1;                  ///< how often the work is done in a repetition: what is too short for the clock is repeated
    std::vector<Lap> laps;  ///< a repetition each, of the work done once

    [[nodiscard]] std::vector<double> seconds() const;
};

/// Warms everybody up, then lets them take turns, A B A B, so that whatever else happens on this machine happens to all.
///
/// Callers   one at a time.
[[nodiscard]] std::vector<Timing> take_turns(const std::vector<Contender>& contenders, const Turns& turns);

}  // namespace kport::measure
