/// @file phases.hpp   Operations of groups of nodes, one after the other or at once, as schedules of the whole machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "emulator/schedule/participants.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// What some nodes of a machine do among themselves, as if they were a machine.
struct GroupTask {
    std::vector<NodeId> nodes;  ///< of the whole machine, by rank
    Operation operation;
    std::string_view algorithm;
    NodeId root;  ///< of the whole machine; ignored where the operation has none
    std::uint64_t packets_each = 1;
    std::shared_ptr<const Counts> counts = nullptr;  ///< by rank; null: all have as many
    std::uint64_t packet_bytes = 0;
};

/// Returns why the group cannot do it, as one clause; nothing if it can.
[[nodiscard]] std::optional<std::string> misfit_of_group(const Machine& whole, const GroupTask& task);

/// Returns the transfers of the group's run, from round 1 on, with nodes and ports of the whole machine. Runs it without bytes. Throws
/// RequestError where the group cannot do it, and where its run breaks a rule.
[[nodiscard]] Schedule schedule_of_group(const Machine& whole, const GroupTask& task, const PacketsOutside& packets);

/// Returns schedules of disjoint groups that begin in the same round as one. Where groups compete for a channel in a round, those of
/// later groups stand in rounds of their own.
[[nodiscard]] Schedule at_once(const Machine& machine, const std::vector<Schedule>& schedules);
/// Appends a schedule behind the last round of another.
void append(Schedule& schedule, const Schedule& next);

}  // namespace kport
