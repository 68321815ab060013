#include "algorithms/support/phases.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "algorithms/run_algorithm.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/machine/smaller_machine.hpp"
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

using Channels = std::set<std::pair<NodeId, Port>>;

/// Adds the channels of a message; of half duplex links those of both directions.
void add_channels(const Transfer& transfer, const Machine& machine, Channels& channels) {
    NodeId at = transfer.from;
    for (const Port port : transfer.route) {
        const LinkEnd end = machine.topology->wires().across(at, port);
        channels.emplace(at, port);
        if (machine.links == Duplex::half) channels.emplace(end.node, end.port);
        at = end.node;
    }
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

Schedule at_once(const Machine& machine, const std::vector<Schedule>& schedules) {
    const bool may_compete = machine.switching == Switching::wormhole || machine.topology->fabric() != nullptr;
    Round last = 0;
    for (const Schedule& schedule : schedules) last = std::max(last, schedule.rounds());
    Schedule all;
    std::vector<std::size_t> next(schedules.size());
    Round now = 0;
    for (Round round = 1; round <= last; ++round) {
        std::vector<std::size_t> waiting;
        for (std::size_t g = 0; g < schedules.size(); ++g)
            if (next[g] < schedules[g].size() && schedules[g].round(next[g]) == round) waiting.push_back(g);
        if (waiting.empty()) all.add_silent(++now, 1);
        while (!waiting.empty()) {
            ++now;
            Channels used;
            std::erase_if(waiting, [&](std::size_t g) {
                Channels needs;
                std::size_t end = next[g];
                for (; end < schedules[g].size() && schedules[g].round(end) == round; ++end)
                    if (may_compete) add_channels(schedules[g].transfer(end), machine, needs);
                if (std::ranges::any_of(needs, [&](const auto& channel) { return used.contains(channel); }))
                    return false;
                used.merge(needs);
                for (; next[g] < end; ++next[g]) all.add(now, schedules[g].transfer(next[g]));
                return true;
            });
        }
    }
    return all;
}

void append(Schedule& schedule, const Schedule& next) {
    const Round before = schedule.rounds();
    for (std::size_t i = 0; i < next.size(); ++i) schedule.add(before + next.round(i), next.transfer(i));
    for (const Silence& silence : next.silences()) schedule.add_silent(before + silence.first, silence.count);
}

}  // namespace kport
