/// @file participants.hpp   Which nodes of the machine that was named take part in a collective, for reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emulator/schedule/collective.hpp"

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

}  // namespace kport
