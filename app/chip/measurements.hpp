/// @file measurements.hpp   What is measured of the chip: copies, messages between threads, cache lines, switches between tasks.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "app/chip/hardware.hpp"
#include "app/chip/pinning.hpp"
#include "app/chip/sampling.hpp"

namespace kport::chip {

/// Each thread copies (memcpy) its own bytes, all at once.
struct Copying {
    std::uint64_t bytes = 0;
    unsigned threads = 0;
    Statistics ns;  ///< for one copy by every thread

    /// Returns the speed of all threads together, by the median. A copied byte is counted once, though it is read and
    /// written.
    [[nodiscard]] double bytes_per_second() const { return static_cast<double>(bytes * threads) / ns.median * 1e9; }
};

/// Returns the sizes from 4 KiB in steps of factor 4 to the first whose two buffers are twice as large as the last
/// cache, if the buffers of one thread fit into `memory_most`.
[[nodiscard]] std::vector<std::uint64_t> copy_sizes(const Hardware& machine, std::uint64_t memory_most);

/// Returns 1, 2, 4, ... and `most`.
[[nodiscard]] std::vector<unsigned> thread_counts(unsigned most);

/// Measures the sizes (ascending) by one thread on each of the PUs. Sizes whose buffers exceed `memory_most` over all
/// threads are left out. Every copy's last repetition is compared with its source. before(bytes) is called before each
/// size.
///
/// Errors   Stopped, DoesNotFit, std::bad_alloc.
[[nodiscard]] std::vector<Copying> copying(std::span<const Pu> pus, std::span<const std::uint64_t> sizes,
                                           std::uint64_t memory_most, const Limits& limits,
                                           const std::function<void(std::uint64_t)>& before);

/// Those of Boost.Lockfree, and the engine's Mailbox.
enum class Carrier { spsc_queue, queue, stack, mailbox };
inline constexpr std::array carriers = {Carrier::spsc_queue, Carrier::queue, Carrier::stack, Carrier::mailbox};
[[nodiscard]] std::string_view name(Carrier carrier);

/// Messages are numbers of 8 bytes; received ones are summed and checked.
enum class Way {
    alone,      ///< one thread puts 64 in and takes them out: a put and a take
    streaming,  ///< one thread puts 4096 in while another takes them out: one message of the stream
    to_and_fro  ///< two threads pass one message to and fro in two carriers: one way, half of the round trip
};
inline constexpr std::array ways = {Way::alone, Way::streaming, Way::to_and_fro};
[[nodiscard]] std::string_view name(Way way);
/// Returns the number of threads.
[[nodiscard]] constexpr std::size_t threads_of(Way way) { return way == Way::alone ? 1 : 2; }

/// Measures ns a message, with threads on the first PUs. Throws Stopped, DoesNotFit.
[[nodiscard]] Statistics hand_over(Carrier carrier, Way way, std::span<const Pu> pus, const Limits& limits);

/// Two threads, each on its PU, pass a flag back and forth in one cache line, spinning.
struct RoundTrip {
    Pu first = 0;
    Pu second = 0;
    Statistics ns;  ///< both ways; one way is half of it
};

/// `first` and `second` differ. Throws Stopped, DoesNotFit.
[[nodiscard]] RoundTrip round_trip(Pu first, Pu second, const Limits& limits);

// Each returns ns, on the calling thread. Throws Stopped.

/// Spawns and runs a nearly empty oneTBB task, one of 256 that are awaited together.
[[nodiscard]] Statistics task_time(const Limits& limits);

/// Resumes a node program and returns when it suspends.
[[nodiscard]] Statistics resume_time(const Limits& limits);

/// Creates a node program, runs it from beginning to end, and gives its frame back.
[[nodiscard]] Statistics program_time(const Limits& limits);

}  // namespace kport::chip
