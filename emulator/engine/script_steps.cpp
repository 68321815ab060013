#include "emulator/engine/script_steps.hpp"

#include <fmt/format.h>

#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/parts_sent.hpp"

namespace kport {

namespace {

void require_followable(const Schedule& schedule, const Machine& machine, const Collective& collective) {
    if (collective.folds())
        require_well_formed(schedule, *machine.topology);  // a reduction is followed whatever it calls what moves
    else
        require_readable(schedule, machine, collective);
    if (const Round gap = schedule.first_gap(); gap != 0)
        throw RequestError(fmt::format(
            "round {} of the schedule has no transfer, which is illegal unless the schedule names it as silent", gap));
    if (schedule.size() > ScriptStep::transfers_max)
        throw DoesNotFit(
            fmt::format("programs follow a schedule of at most 2^31 transfers; this has {}", schedule.size()));
}

}  // namespace

Script::Script(const Schedule& schedule, const Machine& machine, const Collective& collective, Naming naming)
    : schedule_(schedule), collective_(collective), nodes_(machine.topology->nodes()), first_(nodes_ + 1) {
    require_followable(schedule, machine, collective);
    if (collective.scans())
        keeps_parts_ = keepers_of_parts(schedule, collective, nodes_);
    else if (collective.folds() && naming == Naming::contributions)
        keeps_parts_ = senders_of_parts(schedule, collective, nodes_);
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        ++first_[transfer.from + 1];
        ++first_[transfer.to + 1];
    }
    for (NodeId v = 0; v < nodes_; ++v) first_[v + 1] += first_[v];
    steps_.resize(first_[nodes_]);
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t begin = 0, end = 0; begin < schedule.size(); begin = end) {
        while (end < schedule.size() && schedule.round(end) == schedule.round(begin)) ++end;
        for (std::size_t i = begin; i < end; ++i)
            steps_[next[schedule.transfer(i).from]++] = sending(i, *machine.topology);
        for (std::size_t i = begin; i < end; ++i) steps_[next[schedule.transfer(i).to]++] = receiving(i);
    }
}

void Script::list_starters(Job& job) const {
    for (NodeId v = 0; v < nodes_; ++v) {
        const auto own = steps(v);
        if (own.empty() ? !has_result_alone(v) : !own.front().sends()) continue;
        job.starters.push_back(v);
        job.starters_wait_until.push_back(own.empty() ? 1 : own.front().round);
    }
}

bool Script::has_result_alone(NodeId v) const {
    if (!collective_.folds() || !collective_.gives_result(v)) return false;
    return collective_.inwards() || collective_.wanted(v, nodes_).size() == collective_.segments(nodes_);
}

ScriptStep Script::sending(std::size_t i, const Topology& topology) const {
    const Transfer transfer = schedule_.transfer(i);
    const Port port = transfer.route.front();
    const bool is_link = transfer.route.size() == 1 && topology.across(transfer.from, port).node == transfer.to;
    return step(i, transfer, transfer.to, is_link ? port : ScriptStep::along_route);
}

ScriptStep Script::receiving(std::size_t i) const {
    const Transfer transfer = schedule_.transfer(i);
    return step(i, transfer, transfer.from, ScriptStep::receives);
}

ScriptStep Script::step(std::size_t i, const Transfer& transfer, NodeId peer, Port port) const {
    const bool result = collective_.folds() && transfer.packets.front().first == nodes_;
    return {schedule_.round(i), static_cast<std::uint32_t>(peer), port,
            static_cast<std::uint32_t>(i) & (ScriptStep::transfers_max - 1), result};
}

}  // namespace kport
