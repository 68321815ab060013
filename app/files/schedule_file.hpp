/// @file schedule_file.hpp   A schedule as text: written and read.
///
/// The text is JSON (RFC 8259), a transfer a line, so that schedules can be compared line by line:
///
///     {"kport_schedule": 1, "topology": "line:3", "transfers": [
///     {"round":1,"from":0,"to":1,"route":[0],"packets":[0]},
///     {"round":2,"from":1,"to":2,"route":[0],"packets":[0]}
///     ]}
///
/// Where programs let rounds pass on purpose, a member says which: "silent_rounds": [3, {"first":7,"count":2}].
///
/// kport_schedule  the version of this format: 1
/// topology        the specification of the topology whose nodes and ports the transfers name
/// operation       "scatter", and root, a node: what the schedule does; both may be left out. "none": nothing is promised
/// own             instead of operation: a collective of one's own (Collective::custom()), an object of its name, its packets (how many),
///                 owned and wanted (by node, the list of its packets, as those of a transfer), and, if wanted, noun
/// packets         M, how many packets there are of each (Collective::packets_each); may be left out: 1
/// machine         "2-port full duplex, wormhole": the rules of the machine for which it is (machine_of_rules()); may be left out
/// in_runs         true if partial results of a reduction are of consecutive nodes and stay apart (Collective::in_runs); may be
///                 left out: false
/// round           from 1, never less than the transfer's before
/// route           the ports by which the path leaves `from` and every node after it; at least one
/// packets         of a transfer: packet numbers (of row 0, PacketBlock), or runs {"first":F,"stride":S,"count":C} for F, F + S,
///                 ..., C of them, with "row", "row_stride" and "rows" where they are not of row 0 alone; at least one
/// silent_rounds   rounds, or runs {"first":F,"count":C} of them, in order; may be left out. A round without a transfer that
///                 is not named here breaks a rule
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"
#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

inline constexpr std::uint64_t schedule_file_version = 1;  ///< kport_schedule

/// A collective of one's own as a file says it.
struct ToldCollective {
    std::string name = {};
    std::string noun = OwnCollective{}.noun;
    std::uint64_t packets = 1;
    std::vector<PacketSet> owned = {};  ///< by node
    std::vector<PacketSet> wanted = {};
};
/// Throws RequestError where it is not of the nodes of this topology, or names packets that it has not. O(N).
[[nodiscard]] Collective collective_of(const ToldCollective& told, const Topology& topology,
                                       std::uint64_t packet_bytes);

struct ScheduleFile {
    std::string topology;  ///< as the file says; not checked, make_topology() does
    std::optional<Operation> operation = {};
    std::optional<ToldCollective> own = {};
    NodeId root = 0;                 ///< not checked
    std::uint64_t packets_each = 1;  ///< not checked
    Permutation permutation = {};
    bool in_runs = false;
    std::optional<Machine> machine = {};  ///< its rules, without a topology
    Schedule schedule = {};
};

/// Writes a user-defined collective except for the size of its packets, O(N), and the machine's rules. The caller checks the stream.
void write_schedule(std::ostream& out, const Schedule& schedule, const Topology& topology,
                    const std::optional<Collective>& collective = {}, const std::optional<Machine>& machine = {});

/// Reads strictly: every member must be there once and have its kind, members of other names are refused, numbers are
/// whole and fit, and nothing follows. Checks the structure alone: whether nodes and ports exist is
/// require_well_formed()'s question, whether rules are kept an auditor's.
///
/// Memory   the schedule's own and a line's; no tree of the text is built, so depth and size of a hostile file do not matter.
/// Errors   RequestError that names the file, the place in it and what would be right:
///          "schedule 'x.json': transfers[3].route[0]: -1; want a whole number".
[[nodiscard]] ScheduleFile read_schedule(std::istream& in, std::string_view name);

}  // namespace kport
