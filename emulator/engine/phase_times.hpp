/// @file phase_times.hpp   What the threads of a run did when. Measured, so other times in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "emulator/base/types.hpp"

namespace KPORT_PUBLIC kport {

/// What lockstep does in a round, one after the other; either `accept` or `arbitrate` moves the messages. Several ranks `exchange`
/// letters, after the programs and where claims may compete.
enum class Phase : std::uint8_t { programs, collect, accept, arbitrate, audit, exchange };

/// "programs", "collect", ...
[[nodiscard]] constexpr std::string_view name(Phase phase) {
    constexpr std::string_view names[] = {"programs", "collect", "accept", "arbitrate", "audit", "exchange"};
    return names[static_cast<std::size_t>(phase)];
}

/// One thread served one partition in a phase of a round; `arbitrate`, `audit` and `exchange` serve all, and name partition 0.
struct PhaseTime {
    Phase phase;
    unsigned thread;
    unsigned partition;
    Round round;
    double begin_seconds;  ///< since the engine of its rank was set up
    double end_seconds;
    unsigned rank = 0;
};

/// A run keeps so many of each thread, those of its first rounds.
inline constexpr std::size_t phase_times_max = std::size_t{1} << 17;

}  // namespace kport
