/// @file schedule_records.hpp   A schedule as records of numbers, from one process of this program to another.
///
/// A record is five numbers of 32 bits, as this machine stores them:
///
///     a transfer   round, from, to, the number of ports, the number of blocks; behind it the ports of the route, and the blocks of
///                  packets, six numbers each, in the order of PacketBlock
///     a silence    0, its first round, its last round, 0, 0
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "emulator/schedule/schedule.hpp"

namespace kport::cli {

/// Calls `write` with pieces of some 32 KiB that together are the records of the schedule, silences last. Requires fewer than 2^32
/// nodes.
void write_records(const Schedule& schedule, const std::function<void(std::string_view)>& write);

/// Adds the records that are complete, and returns how many bytes they take. Trusts no number: memory is taken for bytes that came, not
/// for those that a record promises. Whether nodes, ports and packets exist is require_readable()'s question. O(bytes of the complete
/// records).
///
/// Errors   RequestError for rounds that go back, for a silence that ends before it begins, and for one that is none.
[[nodiscard]] std::size_t add_records(std::string_view bytes, Schedule& schedule);

}  // namespace kport::cli
