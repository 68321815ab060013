/// @file outside.hpp   Schedules of a machine of members, in the numbers of the machine that was named.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Returns what members do, as a collective of all nodes of the larger machine. Nothing where the operation has no such form:
/// permutations and operations among neighbours, whose graph is that of members; partial results in runs of ranks; scans by ranks
/// that do not ascend. Requires Topology::membership().
[[nodiscard]] std::optional<Collective> collective_outside(const Collective& collective, const Topology& members);
/// Returns a message's packets in the larger machine, given those of members.
using PacketsOutside = std::function<PacketSet(std::span<const PacketBlock>)>;
/// Returns the transfers with nodes and ports of `whole`, the larger machine, and the packets that `packets` says.
[[nodiscard]] Schedule schedule_outside(const Schedule& schedule, const Topology& members, const Topology& whole,
                                        const PacketsOutside& packets);
/// Returns the transfers with nodes, ports and packets of the larger machine. Requires collective_outside().
[[nodiscard]] Schedule schedule_outside(const Schedule& schedule, const Collective& collective,
                                        const Topology& members);

}  // namespace kport
