/// @file schedule_file.hpp   Reads and writes a schedule as JSON.
///
/// The text is JSON (RFC 8259), a transfer a line, so that schedules can be compared line by line:
///
///     {"kport_schedule": 1, "topology": "line:3", "transfers": [
///     {"round":1,"from":0,"to":1,"route":[0],"packets":[0]},
///     {"round":2,"from":1,"to":2,"route":[0],"packets":[0]}
///     ]}
///
/// Where programs let rounds pass on purpose, a member lists them: "silent_rounds": [3, {"first":7,"count":2}].
///
/// kport_schedule  the version of this format: 1
/// topology        the specification of the topology whose nodes and ports the transfers name
/// operation       "scatter", and root, a node: what the schedule does; both optional. "none": nothing is promised
/// own             instead of operation: a user-defined collective (Collective::custom()), an object of its name, its
///                 packets (how many), owned and wanted (by node, the list of its packets, as those of a transfer),
///                 and, optionally, noun, sizes ("64,1000": bytes of each packet) and relays ("1,4": the nodes that may pass
///                 packets on without a part in it; if left out, all)
///                 or, of folds, name, noun and promise: the lines of a promise of segments (read_promise()), without its topology
/// packets         M, how many packets there are of each (Collective::packets_each); optional: 1
/// counts          "3,0,5", the packets of each node where they differ, or "0,2/1,0", of each pair (Collective::counts); optional
/// sizes           the same, of the bytes of a packet each (Counts::bytes()); optional, not beside counts
/// members         "0,3,5-9", the nodes that own and want, by rank; the others only pass packets on (Collective::members); optional
/// machine         "2-port full duplex, wormhole": the rules of its machine (machine_of_rules()); optional
/// options         "--ports 2 --trunks": how it is judged and its graph file is read, in words of the command line; before transfers;
///                 optional
/// in_runs         true if partial results of a reduction are of consecutive nodes and stay apart
///                 (Collective::in_runs); optional: false
/// unfolded        true if all contributions stay apart (Collective::unfolded); optional: false
/// round           from 1, ascending
/// route           the ports by which the path leaves `from` and every node after it; at least one
/// packets         of a transfer: packet numbers (of row 0, PacketBlock), or runs {"first":F,"stride":S,"count":C} for
///                 F, F + S, ..., C of them, with "row", "row_stride" and "rows" unless they are in row 0; at least one
/// silent_rounds   rounds, or runs {"first":F,"count":C} of them, in order; optional. A round without a transfer that
///                 is not listed here breaks a rule
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/told_schedule.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"
#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

inline constexpr std::uint64_t schedule_file_version = 1;  ///< value of kport_schedule

/// A user-defined collective as a file gives it.
struct ToldCollective {
    std::string name = {};
    std::string noun = OwnCollective{}.noun;
    std::uint64_t packets = 1;
    std::vector<PacketSet> owned = {};  ///< by node
    std::vector<PacketSet> wanted = {};
    std::vector<std::uint32_t> bytes = {};   ///< of each packet, where they differ; else empty
    std::optional<std::string> relays = {};  ///< which nodes may pass packets on, as a list; nothing: all
    std::string promise = {};                ///< of folds: all but the name and the noun; else empty
};
/// Throws RequestError unless it fits the nodes of this topology and names existing packets only. O(N).
[[nodiscard]] Collective collective_of(const ToldCollective& told, const Topology& topology,
                                       std::uint64_t packet_bytes);

struct ScheduleFile {
    std::string topology;  ///< as in the file; checked by make_topology()
    std::optional<Operation> operation = {};
    std::optional<ToldCollective> own = {};
    NodeId root = 0;                 ///< not checked
    std::uint64_t packets_each = 1;  ///< not checked
    ToldCounts counts = {};          ///< not checked; empty: all have as many
    std::string members = {};        ///< not checked; empty: all nodes own and want
    Permutation permutation = {};
    bool in_runs = false;
    bool unfolded = false;
    std::optional<Machine> machine = {};  ///< its rules, without a topology
    std::string options = {};             ///< not checked
    Schedule schedule = {};
};

/// Writes user-defined collectives without the size of packets, O(N), the machine's rules, and `options`. The caller checks the
/// stream.
void write_schedule(std::ostream& out, const Schedule& schedule, const Topology& topology,
                    const std::optional<Collective>& collective = {}, const std::optional<Machine>& machine = {},
                    const std::string& options = {});

/// Returns member "options" of a text that begins so; empty where it has none before its transfers.
[[nodiscard]] std::string options_in_json(std::string_view head);

/// Reads strictly: every member must occur once and have its kind, unknown members are refused, numbers are integers
/// that fit, and nothing follows. Checks only the structure: nodes and ports are checked by require_well_formed(),
/// rules by an auditor.
///
/// Memory   the schedule's and a line's; no tree is built, so a hostile file's depth and size do not matter.
/// Errors   RequestError that names the file, the place in it and what would be right:
///          "schedule 'x.json': transfers[3].route[0]: -1; want a whole number".
[[nodiscard]] ScheduleFile read_schedule(std::istream& in, std::string_view name);

}  // namespace kport
