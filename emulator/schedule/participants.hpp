/// @file participants.hpp   Collectives of members and groups: which nodes take part, and schedules in the numbers of the machine that was named.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Members, and the others that pass packets on, by their numbers in the machine that was named.
struct Participants {
    std::vector<NodeId> members;  ///< by rank
    std::vector<NodeId> relays;   ///< ascending
    bool all_relay = false;       ///< all others pass packets on; `relays` is then empty
    NodeId of = 0;                ///< nodes of the machine that was named
};

/// Returns nothing where all nodes take part.
[[nodiscard]] std::optional<Participants> participants_of(const Collective& collective, const Topology& topology);
/// Returns what a group does by itself, as a machine of its own (member_machine()). Requires Collective::groups.
[[nodiscard]] Collective of_group(const Collective& collective, std::size_t group);
/// Returns the counts as `--counts` names them: those of members by rank; null where all that take part have as many packets.
[[nodiscard]] std::shared_ptr<const Counts> asked_counts(const Collective& collective);
/// Returns "members", "all", or the nodes that pass packets on, as `--relay` names them.
[[nodiscard]] std::string relay_text(const Participants& participants);
/// Returns the machine in words: "mesh:4x4", "mesh:4x4 among 4 of 16 nodes", "mesh:4x4 among 4 of 16 nodes, relayed by all".
[[nodiscard]] std::string machine_in_words(const Collective& collective, const Topology& topology);

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

/// Returns the collective whose packets the messages of a recorded run have: the given one, but of groups contents, since a recorded message
/// of a group is known by its bytes alone.
[[nodiscard]] Collective carried_in(const Collective& collective);

}  // namespace kport
