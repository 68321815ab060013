/// @file members.hpp   Operations among some nodes of a machine: --members, --relay, --groups.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "app/requests/command_line.hpp"
#include "app/session/experiment.hpp"

namespace kport::requests {

/// Makes the machine that of the family which a graph file is under whatever numbers (recognized()), for operations that mean the same
/// under all numbers. Reports, packets and records have the numbers of the file.
void know_family(const Words& words, Experiment& e);

/// Makes the experiment one among the members that the words name; without --members leaves it. The machine is as --on names it, with
/// all its rules, and the root a node of it. Where other nodes pass packets on the collective is among all of them until
/// know_relays(). Throws RequestError.
void know_members(const Words& words, Experiment& experiment);
/// Makes the experiment one of groups at once, or gives them to an algorithm in phases; without --groups leaves it. Throws
/// RequestError.
void know_groups(const Words& words, Experiment& experiment);
/// Returns how many nodes counts are for: the members, else all nodes.
[[nodiscard]] NodeId counted_nodes(const Experiment& experiment);
/// Makes the collective one among members and relays, after its counts are known. Throws RequestError.
void know_relays(const Words& words, Experiment& experiment);

/// Returns the machine that was named: that of a machine of members.
[[nodiscard]] std::shared_ptr<const Topology> named_topology(const std::shared_ptr<const Topology>& topology);

}  // namespace kport::requests
