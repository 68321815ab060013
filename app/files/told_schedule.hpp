/// @file told_schedule.hpp   A schedule read from a file, with what it will be judged by.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/base/error.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/report/judgement.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace KPORT_PUBLIC kport {

/// As operation_named(), and "none": a schedule may be judged by the machine's rules only. Throws RequestError.
[[nodiscard]] inline Operation operation_or_none_named(std::string_view word) {
    return word == name(Operation::none) ? Operation::none : operation_named(word);
}

/// What is known of a schedule before its file is read. It overrides the file.
struct ScheduleContext {
    Machine machine;                          ///< its topology may be null: then the file's, or a complete graph
    std::optional<Operation> operation = {};  ///< nothing: the file's
    std::optional<Collective> promise =
        {};  ///< of that operation, from a file of its own; nothing: of the words here and the file's
    std::optional<std::string> root = {};  ///< a node as Topology::node() reads it; nothing: the file's, or node 0
    std::uint64_t packet_bytes = 64;
    std::optional<std::uint64_t> packets_each = {};  ///< M; nothing: the file's, or 1
    /// Gives the collective its counts of packets, which may differ; null: the file's, if it has any.
    std::function<void(Collective&, NodeId nodes)> counts = nullptr;
    /// Gives the collective its members, where other nodes own and want nothing; null: the file's, if it has any.
    std::function<void(Collective&, const Topology&)> members = nullptr;
    Rules rules = {};
    bool all_held = false;                  ///< a message without packets in the file carries all that its sender holds
    std::vector<std::string> remarks = {};  ///< of the promise
    bool is_judged = false;  ///< rounds that only comments give are replaced if they break a rule of the machine
};

/// The collective of an operation that the context names, before the file says more.
[[nodiscard]] inline Collective collective_asked(const ScheduleContext& context, const Operation& operation) {
    return context.promise ? *context.promise : Collective::of(operation, 0, context.packet_bytes);
}
/// Throws RequestError where a schedule says something that the promise of the context says.
void require_no_promise(const ScheduleContext& context, std::string_view what);
/// Throws RequestError for folds of a promise, of which a message has one value of a segment.
void require_values_in_one(const Collective& collective);
/// Returns what read() does; where the numbers that it reads are sizes, its errors say so, and not "counts has 5 numbers".
template <class Read>
[[nodiscard]] Counts numbers_read(bool are_sizes, const Read& read) {
    constexpr std::string_view as_counts = "counts";
    try {
        return read();
    } catch (const RequestError& error) {
        const std::string why = error.what();
        if (!are_sizes || !why.starts_with(as_counts)) throw;
        throw RequestError("sizes" + why.substr(as_counts.size()));
    }
}
/// Gives the collective numbers of packets, or the bytes of a packet each.
void put_numbers(Collective& collective, const Counts& numbers, bool are_sizes);
/// Counts of packets as a file says them.
struct ToldCounts {
    std::string text = {};   ///< empty: none
    bool are_sizes = false;  ///< they are the bytes of a packet each
};
/// Gives the collective the counts of packets that the context knows, else those of the file. Throws RequestError.
void put_counts(Collective& collective, const ScheduleContext& context, const ToldCounts& of_file, NodeId nodes);

/// Gives the collective the members that the context knows, else those of the file's text, "0,3,5-9"; empty: all nodes are. Throws
/// RequestError.
void put_members(Collective& collective, const ScheduleContext& context, const std::string& of_file,
                 const Topology& topology);

/// Whether that applies to messages of the operation.
[[nodiscard]] inline bool may_carry_all_held(const Operation& operation) {
    return operation == Operation::barrier || operation == Operation::broadcast || operation == Operation::gather ||
           operation == Operation::reduce || operation == Operation::allgather || operation == Operation::allreduce;
}

/// The refusal of a file that does not say what its schedule does.
inline constexpr const char* no_operation_in_file =
    "does not say what the schedule does; want a line such as 'scatter from 0' (JSON: \"operation\"), or the operation "
    "behind the file, as in 'kport check FILE scatter'; none: the machine's rules alone are judged";

/// The topology's name if a file defines its own links, which no other file can name.
inline constexpr std::string_view unnamed_network = "the file's network";

/// A schedule that was read, or will be written.
struct ToldSchedule {
    std::shared_ptr<const Topology> topology;
    Collective collective;
    Schedule schedule;
    std::vector<std::string> remarks = {};  ///< what the reader chose because the file does not give it: a clause each
    std::optional<Machine> machine = {};    ///< its machine, if the file gives it; without a topology
    ForeignJudgement judgement = {};
    /// How it is judged, as the command line says it: "--ports 2 --trunks"; only kept, for a writer and the caller. Empty: as usual.
    std::string options = {};
    bool took_all_held = false;  ///< a message carries what ScheduleContext::all_held gives
};

}  // namespace kport
