/// @file told_schedule.hpp   A schedule that somebody wrote down, with what it is to be judged by.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/machine/machine.hpp"
#include "emulator/report/judgement.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace KPORT_PUBLIC kport {

/// As operation_named(), and "none": a schedule may be judged by the machine's rules alone. Throws RequestError.
[[nodiscard]] inline Operation operation_or_none_named(std::string_view word) {
    return word == name(Operation::none) ? Operation::none : operation_named(word);
}

/// What is known of a schedule before its file is read. Where the file says something else, this holds.
struct ScheduleContext {
    Machine machine;                          ///< its topology may be null: then the file's, or a complete graph
    std::optional<Operation> operation = {};  ///< nothing: the file's
    std::optional<std::string> root = {};     ///< a node as Topology::node() reads it; nothing: the file's, or node 0
    std::uint64_t packet_bytes = 64;
    std::optional<std::uint64_t> packets_each = {};  ///< M; nothing: the file's, or 1
    Rules rules = {};
    bool all_held =
        false;  ///< a message of which the file does not say what it carries carries all that its sender holds
    bool is_judged = false;  ///< rounds that only comments say give way where they break a rule of the machine
};

/// Whether that can be said of messages of the operation.
[[nodiscard]] inline bool may_carry_all_held(const Operation& operation) {
    return operation == Operation::barrier || operation == Operation::broadcast || operation == Operation::gather ||
           operation == Operation::reduce || operation == Operation::allgather || operation == Operation::allreduce;
}

/// The refusal of a file that says nowhere what its schedule does.
inline constexpr const char* no_operation_in_file =
    "does not say what the schedule does; want a line such as 'scatter from 0' (JSON: \"operation\"), or the operation "
    "behind the file, as in 'kport check FILE scatter'; none: the machine's rules alone are judged";

/// The topology's name where a file has links of its own, which no other file can name.
inline constexpr std::string_view unnamed_network = "the file's network";

/// What was read, or is to be written.
struct ToldSchedule {
    std::shared_ptr<const Topology> topology;
    Collective collective;
    Schedule schedule;
    std::vector<std::string> remarks = {};  ///< what the file does not say, so that the reader chose it: a clause each
    std::optional<Machine> machine = {};    ///< for which it is, where the file says so; without a topology
    ForeignJudgement judgement = {};
    bool took_all_held = false;  ///< a message carries what ScheduleContext::all_held says
};

}  // namespace kport
