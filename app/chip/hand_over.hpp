/// @file hand_over.hpp   The cost of passing a message between threads, by container.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "app/chip/pinning.hpp"
#include "app/chip/sampling.hpp"

namespace kport::chip {

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

}  // namespace kport::chip
