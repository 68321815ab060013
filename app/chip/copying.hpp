/// @file copying.hpp   Speed of memcpy, by size and number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "app/chip/hardware.hpp"
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

}  // namespace kport::chip
