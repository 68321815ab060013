/// @file foreign_schedule.hpp   Schedules in the formats of other programs.
///
/// GOAL      (LogGOPSim, Schedgen, ATLAHS): sends, receives and their dependences, rank by rank, without rounds and
///           packets. Messages get the earliest rounds that the machine's ports allow. The packets that they carry
///           follow from the operation for a broadcast, and where everything goes to the root; otherwise comments give
///           them: "// @pkt 4..7" before a send. Without them only the machine's rules are judged (Collective::none()).
///           Files written by kport begin with comments that give topology and operation, and say that tags are rounds.
/// SCCL      (msccl-tools, JSON): steps of sends of chunks, and which ranks have a chunk before and after. A step is a
///           round; all that it sends from one rank to another is one message. Chunks are packets of an operation or of
///           a user-defined collective, or contributions that are combined. The network in the file is judged.
/// TE-CCL    (JSON): flows of chunks by epoch, and demands. Epochs in which something flows are rounds; the demands are
///           the promise.
/// MSCCL     (msccl-tools, XML): thread blocks with steps that send, receive, reduce and copy chunks. Judged as a
///           whole: messages and dependences, races, and the contents of every slot at the end (slot_program.hpp), for
///           every order of execution. Messages get the earliest rounds. Comments written by kport give topology,
///           operation, and the rounds of each block's steps.
/// MSCCL++   execution plans (JSON): operations of thread blocks on local and remote memory, with signals; judged as
///           MSCCL is. Members written by kport, which the runtime ignores, give topology, operation, and the rounds of
///           puts.
/// SimGrid   time-independent traces: one file with all ranks, an index of files, or a folder with a file for each
///           rank. Read like GOAL, where a blocking action, `wait` or `waitall` ends what was begun. Messages of
///           collective actions are not in the trace.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "app/files/told_schedule.hpp"

namespace kport {

[[nodiscard]] bool begins_goal(std::string_view head);
[[nodiscard]] ToldSchedule read_goal(std::istream& in, const std::string& name, const ScheduleContext& context);
void write_goal(std::ostream& out, const ToldSchedule& told);

[[nodiscard]] bool begins_sccl(std::string_view head);
[[nodiscard]] ToldSchedule read_sccl(std::istream& in, const std::string& name, const ScheduleContext& context);

[[nodiscard]] bool begins_teccl(std::string_view head);
[[nodiscard]] ToldSchedule read_teccl(std::istream& in, const std::string& name, const ScheduleContext& context);

[[nodiscard]] bool begins_simgrid(std::string_view head);
/// Whether the text is an index of traces: its first line names a file, relative to the folder of the file `name`.
[[nodiscard]] bool names_simgrid_files(const std::string& name, std::string_view head);
/// Whether the folder has a trace for each rank.
[[nodiscard]] bool is_simgrid_folder(const std::string& folder);
/// Reads all traces of such a folder as one schedule.
[[nodiscard]] ToldSchedule read_simgrid_folder(const std::string& folder, const ScheduleContext& context);
[[nodiscard]] ToldSchedule read_simgrid(std::istream& in, const std::string& name, const ScheduleContext& context);
void write_simgrid(std::ostream& out, const ToldSchedule& told);

[[nodiscard]] bool begins_msccl(std::string_view head);
[[nodiscard]] ToldSchedule read_msccl(std::istream& in, const std::string& name, const ScheduleContext& context);
void write_msccl(std::ostream& out, const ToldSchedule& told);

[[nodiscard]] bool begins_mscclpp(std::string_view head);
[[nodiscard]] ToldSchedule read_mscclpp(std::istream& in, const std::string& name, const ScheduleContext& context);
void write_mscclpp(std::ostream& out, const ToldSchedule& told);

}  // namespace kport
