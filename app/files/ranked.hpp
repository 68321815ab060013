/// @file ranked.hpp   Shared by files of other programs: ranks, messages between them, and comments written by kport.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/files/earliest_rounds.hpp"
#include "app/files/told_schedule.hpp"

namespace kport {

/// Why delivery is not judged if a file names no operation.
inline constexpr const char* no_operation_named =
    "no operation is named: name it behind the file ('kport check FILE OPERATION'), or say none";

/// Throws RequestError about the file as a whole.
using Refuse = std::function<void(const std::string& why)>;

/// Returns a schedule of so many ranks without transfers. What the context leaves open is taken from `words`, comments
/// written by kport: "on hypercube:3", "scatter from 0"; otherwise the topology is a complete graph, and the collective
/// none().
[[nodiscard]] ToldSchedule told_of_ranks(NodeId ranks, const std::vector<std::string>& words,
                                         const ScheduleContext& context, const Refuse& refuse);

/// Returns the topology's route.
[[nodiscard]] std::vector<Port> route_between(const Topology& topology, NodeId from, NodeId to);

/// earliest_rounds() on the machine of the context, with a remark.
[[nodiscard]] std::vector<Round> earliest_rounds_for(ToldSchedule& told, const std::vector<LooseMessage>& messages,
                                                     const ScheduleContext& context, const Refuse& refuse);

/// Whether a schedule keeps rounds that only comments give. They are not part of the promise: if it is judged and
/// breaks a rule of the machine by them, it is emptied, with a remark, and gets the earliest rounds.
[[nodiscard]] bool stand_judged(ToldSchedule& told, const ScheduleContext& context);

/// Returns the numbers of the messages by round, then by sender.
[[nodiscard]] std::vector<std::uint32_t> in_order_of(const std::vector<Round>& rounds,
                                                     const std::vector<LooseMessage>& messages);

}  // namespace kport
