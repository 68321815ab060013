/// @file parallel_switches.hpp   Machines whose hosts are all linked to all switches: a switch for each message of a round.
#pragma once

#include <cstdint>
#include <optional>

#include "emulator/machine/machine.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Switches to each of which every host is linked, by links of one capacity, as in a crossbar or a box of GPUs.
struct ParallelSwitches {
    NodeId switches;
    std::uint64_t capacity;  ///< of a link
};

/// The most hosts whose messages are given switches.
inline constexpr NodeId parallel_hosts_max = 512;

/// Returns the switches of a machine on which a plan may choose one for each message: hosts have no other links and several channels,
/// links are full duplex, switches have no limit, and routing is fixed. Nothing for any other machine. O(hosts * switches).
[[nodiscard]] std::optional<ParallelSwitches> parallel_switches(const Machine& machine);

/// Returns a plan of messages between hosts with the way of each through a switch. In a round in which no host sends or receives more
/// messages than it has channels, no two take the same channel.
///
/// Idea     The messages of a round are edges between senders and receivers, and as many colours do as the largest degree (Koenig
///          1916); a switch has as many colours as the capacity of its links.
/// Memory   that of the plan, and of a round.
[[nodiscard]] Schedule through_parallel_switches(const Schedule& plan, const Topology& hosts,
                                                 const ParallelSwitches& switches);

}  // namespace kport
