/// @file ranked.hpp   What files of other programs have in common: ranks, messages between them, and a few words of kport's own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/files/earliest_rounds.hpp"
#include "app/files/told_schedule.hpp"

namespace kport {

/// Why delivery is not judged where a file names no operation.
inline constexpr const char* no_operation_named =
    "no operation is named: name it behind the file ('kport check FILE OPERATION'), or say none";

/// Throws RequestError about the file as a whole.
using Refuse = std::function<void(const std::string& why)>;

/// A schedule of so many ranks, as yet without transfers. What the context leaves open the words say, comments that kport writes:
/// "on hypercube:3", "scatter from 0"; then the topology is a complete graph, and the collective none().
[[nodiscard]] ToldSchedule told_of_ranks(NodeId ranks, const std::vector<std::string>& words,
                                         const ScheduleContext& context, const Refuse& refuse);

/// The topology's own way.
[[nodiscard]] std::vector<Port> route_between(const Topology& topology, NodeId from, NodeId to);

/// earliest_rounds() on the machine of the context, with a remark.
[[nodiscard]] std::vector<Round> earliest_rounds_for(ToldSchedule& told, const std::vector<LooseMessage>& messages,
                                                     const ScheduleContext& context, const Refuse& refuse);

/// Whether a schedule in rounds that only comments say may stand: they are no part of what is promised, and where it is judged and breaks
/// a rule of the machine by them, it is emptied, with a remark, for the earliest rounds.
[[nodiscard]] bool stand_judged(ToldSchedule& told, const ScheduleContext& context);

/// The numbers of the messages by round, then by sender.
[[nodiscard]] std::vector<std::uint32_t> in_order_of(const std::vector<Round>& rounds,
                                                     const std::vector<LooseMessage>& messages);

}  // namespace kport
