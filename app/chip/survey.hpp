/// @file survey.hpp   All measurements of `kport chip`.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/chip/hardware.hpp"
#include "app/chip/measurements.hpp"

namespace kport::chip {

/// The limits of a survey.
struct Effort {
    std::chrono::nanoseconds figure = std::chrono::milliseconds(60);
    /// for all pairs together, at least 2 ms each
    std::chrono::nanoseconds round_trips = std::chrono::milliseconds(500);
    std::uint64_t memory = std::uint64_t{1} << 30;  ///< for copying, over all threads
};

struct Survey {
    struct HandOver {
        Carrier carrier{};
        Way way{};
        Statistics ns;
    };

    Hardware machine;
    std::vector<Pu> pus;                 ///< one thread ran on the first of them, two on the first two, ...
    std::string why_not_pinned;          ///< empty: pinning is in force
    std::uint64_t memory = 0;            ///< the limit for copying
    std::vector<RoundTrip> round_trips;  ///< of all pairs of `pus`; none if there is one PU
    std::vector<Copying> copying;
    std::vector<HandOver> hand_over;
    std::optional<Statistics> task;
    std::optional<Statistics> resume;
    std::optional<Statistics> program;
    bool stopped = false;  ///< before everything was measured
};

/// Measures on the first `threads` usable PUs, from 1 to all. about(text) is called before each figure with its name.
/// `stop` ends it after the current sample, with partial results.
///
/// Errors   DoesNotFit, std::bad_alloc; std::runtime_error if hwloc cannot read the machine.
[[nodiscard]] Survey survey(std::size_t threads, const Effort& effort, const std::atomic<bool>& stop,
                            const std::function<void(const std::string&)>& about);

}  // namespace kport::chip
