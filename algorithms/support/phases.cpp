#include "algorithms/support/phases.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "algorithms/run_algorithm.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/machine/member_machine.hpp"
#include "emulator/topology/members.hpp"

namespace kport {

namespace {

/// The group as a machine, and its operation there.
struct GroupRequest {
    Machine machine;
    Collective collective;
    const Algorithm* algorithm;  ///< null: the operation has none of that name

    GroupRequest(const Machine& whole, const GroupTask& task)
        : machine(member_machine(whole, task.nodes)), collective(Collective::of(task.operation, 0, task.packet_bytes)),
          algorithm(find_algorithm(task.operation, task.algorithm)) {
        const Membership* membership = machine.topology->membership();
        if (task.operation.rooted()) collective.root = membership->nodes.rank(task.root);
        collective.packets_each = task.operation.signals() ? 1 : task.packets_each;
        if (task.counts != nullptr) collective = counting(std::move(collective), task.counts);
    }
};

std::string names_of_algorithms(const Operation& operation) {
    std::string names;
    for (const Algorithm& row : catalogue())
        if (row.operation == operation) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
    return names;
}

}  // namespace

std::optional<std::string> misfit_of_group(const Machine& whole, const GroupTask& task) {
    if (task.nodes.size() < 2) return std::nullopt;
    try {
        const GroupRequest group(whole, task);
        if (group.algorithm == nullptr)
            return fmt::format("has no {} named {} ({})", name(task.operation), quoted(task.algorithm),
                               names_of_algorithms(task.operation));
        const auto why = misfit_of(*group.algorithm, group.machine, group.collective, {});
        return why ? std::optional(fmt::format("cannot run {} {} among nodes {}: it {}", name(task.operation),
                                               task.algorithm, list_of_nodes(task.nodes), *why))
                   : std::nullopt;
    } catch (const RequestError& error) {
        return fmt::format("cannot run among nodes {}: {}", list_of_nodes(task.nodes), error.what());
    }
}

Schedule schedule_of_group(const Machine& whole, const GroupTask& task, const PacketsOutside& packets) {
    if (task.nodes.size() < 2) return {};
    if (const auto why = misfit_of_group(whole, task)) throw RequestError(fmt::format("the group {}", *why));
    const GroupRequest group(whole, task);
    Schedule inside;
    RunOptions recording;
    recording.threads = 1;
    recording.recorded_schedule = &inside;
    const RunResult run =
        run_algorithm(*group.algorithm, group.machine, group.collective, {}, {.copied = false}, recording);
    if (!run.verdict.lawful())
        throw RequestError(fmt::format("the group {} breaks a rule by {} {}", list_of_nodes(task.nodes),
                                       name(task.operation), task.algorithm));
    return schedule_outside(inside, *group.machine.topology, *whole.topology, packets);
}

Schedule at_once(const std::vector<Schedule>& schedules) {
    struct Place {
        Round round;
        std::size_t schedule;
        std::size_t transfer;
    };
    std::vector<Place> places;
    for (std::size_t s = 0; s < schedules.size(); ++s)
        for (std::size_t i = 0; i < schedules[s].size(); ++i) places.push_back({schedules[s].round(i), s, i});
    std::ranges::stable_sort(places, {}, &Place::round);
    Schedule all;
    Round last = 0;
    for (const Place& place : places) {
        if (place.round > last + 1) all.add_silent(last + 1, place.round - last - 1);
        last = place.round;
        all.add(place.round, schedules[place.schedule].transfer(place.transfer));
    }
    return all;
}

void append(Schedule& schedule, const Schedule& next) {
    const Round before = schedule.rounds();
    for (std::size_t i = 0; i < next.size(); ++i) schedule.add(before + next.round(i), next.transfer(i));
    for (const Silence& silence : next.silences()) schedule.add_silent(before + silence.first, silence.count);
}

}  // namespace kport
