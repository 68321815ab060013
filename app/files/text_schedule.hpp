/// @file text_schedule.hpp   A schedule as written on paper, and as a table (CSV).
///
///     on hypercube:3                       the topology; --on says it otherwise
///     with --ports 2 --trunks              how it is judged and a graph file is read, as the command line says it
///     scatter from 0                       operation, and root or source; none: nothing is promised
///     packets 2                            M, where there are several of each
///     in-runs                              partial results of consecutive nodes stay apart (Collective::in_runs)
///     unfolded                             all contributions stay apart (Collective::unfolded)
///     round 1: 0 -> 4 {4..7}               a comma, or a new line, before the next transfer of the round
///     round 2: 0 -> 2 {2, 3}, 4 -> 6 {6, 7}
///     round 3: silent                      nothing moves on purpose; "rounds 3..5: silent"
///
///     round 4: 0 <-> 1, 2 <-> 3            exchanges: two transfers each, which do not say what they carry
///
/// node     a number, "(1,2)", or a name, in double quotes where it has blanks or signs
/// packets  in braces: numbers, ranges "4..7", "0..12 step 4"; in an alltoall from>to: "0..3>5", of M each for packet j
///          from*M+j>to; "result": the result of an allreduce. Where a node has M packets, or segments, "4..7" are all of these
///          nodes, and "4..7:0..2" the first three. Without braces: the packet of a broadcast; in a barrier, where
///          everything goes to the root, or where ScheduleContext::all_held says so, all that the sender holds
/// route    along the topology's own (Topology::route()), or "0 -> 5 via 1 4 {5}"
/// #        begins a comment
///
/// The table has a line of names, round, from, to, and optionally packets and via, then a line for each transfer.
/// Comments before it may give topology and operation: "# on hypercube:3".
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "app/files/told_schedule.hpp"

namespace kport {

[[nodiscard]] bool begins_text_schedule(std::string_view head);
[[nodiscard]] ToldSchedule read_text_schedule(std::istream& in, const std::string& name,
                                              const ScheduleContext& context);
/// Return what stands behind "with" at the beginning of a text, or of a table in a comment; empty: nothing.
[[nodiscard]] std::string options_in_text(std::string_view head);
[[nodiscard]] std::string options_in_csv(std::string_view head);
void write_text_schedule(std::ostream& out, const ToldSchedule& told);

[[nodiscard]] bool begins_csv_schedule(std::string_view head);
[[nodiscard]] ToldSchedule read_csv_schedule(std::istream& in, const std::string& name, const ScheduleContext& context);
void write_csv_schedule(std::ostream& out, const ToldSchedule& told);

}  // namespace kport
