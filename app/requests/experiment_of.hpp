/// @file experiment_of.hpp   What was asked for, understood: every word checked, nothing allocated.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "app/files/told_schedule.hpp"
#include "app/requests/answer.hpp"
#include "app/requests/command_line.hpp"
#include "app/session/experiment.hpp"
#include "app/stress/stress.hpp"
#include "emulator/topology/broken.hpp"

namespace kport::requests {

/// Whether a graph file that is a family's graph under other numbers is run as that family (know_family()), or as it is.
enum class GraphFiles : std::uint8_t { as_families, as_they_are };

/// Throws RequestError for a word that is wrong, DoesNotFit for a topology whose ports outgrow their type.
///
/// topology   that of --on, where it is known already; it can take long to make.
[[nodiscard]] Experiment experiment_of(const Words& words, std::shared_ptr<const Topology> topology = nullptr,
                                       GraphFiles files = GraphFiles::as_families);

/// That of --on without the parts of --broken; with --unaware with them. Throws as experiment_of().
[[nodiscard]] std::shared_ptr<const Topology> topology_of(const Words& words);

/// The graph without the parts of --broken. Throws RequestError, DoesNotFit if what is left is not connected.
[[nodiscard]] std::shared_ptr<const Topology> without_broken(const Words& words,
                                                             const std::shared_ptr<const Topology>& graph);
/// Throws RequestError where an operation begins at node 0 unless another is named, none is, and node 0 is broken.
void require_default_source(const Words& words, const Experiment& experiment);
/// The parts of --broken; none where it is not given. Throws RequestError.
[[nodiscard]] BrokenParts broken_of(const Words& words, const Topology& graph);

/// What the words say of a schedule in a file; the rest the file says. Throws as experiment_of().
[[nodiscard]] ScheduleContext schedule_context_of(const Words& words);
/// A machine with the ports, rules and prices that the words name; the others stay.
[[nodiscard]] Machine machine_of(const Words& words, const Machine& otherwise);

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

/// The options of kport stress.
struct StressPlan {
    std::vector<Subject> subjects;  ///< empty: the whole catalogue
    Operation operation = Operation::broadcast;
    StressOptions options;
};

/// Parses and checks the words of `kport stress`. Throws RequestError.
[[nodiscard]] StressPlan stress_plan_of(const Words& words);

}  // namespace kport::requests
