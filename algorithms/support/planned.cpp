#include "algorithms/support/planned.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/bounds/bounds.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/engine/script.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

namespace {

/// Whether each packet is for one node. Of a promise several may own it, and keep it.
bool has_one_target_each(const Collective& collective, NodeId nodes) {
    if (collective.operation->carries != Carries::packets || collective.is_own()) return false;
    const auto of_all = [&](PacketSet (Collective::*some)(NodeId, NodeId) const) {
        std::uint64_t packets = 0;
        for (NodeId v = 0; v < nodes; ++v) packets += (collective.*some)(v, nodes).size();
        return packets;
    };
    return of_all(&Collective::wanted) == of_all(&Collective::owned);
}

/// Plans are made on the graph of the hosts. Returns the plan with the routes of its messages in the fabric.
Schedule laid_on_wires(const Schedule& plan, const Machine& machine) {
    if (const auto switches = parallel_switches(machine))
        return through_parallel_switches(plan, *machine.topology, *switches);
    const bool any = machine.switching == Switching::wormhole;
    Schedule laid;
    laid.reserve(plan);
    std::vector<Port> route;
    for (std::size_t i = 0; i < plan.size(); ++i) {
        const Transfer transfer = plan.transfer(i);
        route.clear();
        machine.topology->fabric()->append_route(transfer.from, transfer.to, any, route);
        laid.add(plan.round(i), {transfer.from, transfer.to, route, transfer.packets});
    }
    for (const Silence& silence : plan.silences()) laid.add_silent(silence.first, silence.count);
    return laid;
}

/// Whether a node sends or receives one message in a round: it has one partner, and no link is used both ways.
bool is_telegraph(const Machine& machine) {
    return machine.duplex == Duplex::half && machine.node_ports == nullptr && machine.ports == PortLimit(1);
}

/// Leaves out rules that add nothing, so that machines on which the same is allowed get the same plan.
Machine in_one_form(Machine machine) {
    if (!is_telegraph(machine)) return machine;
    machine.pairwise = true;
    machine.links = Duplex::full;
    return machine;
}

/// The machine with half duplex links, and with one port pairwise. Half duplex ports allow so much less that their plans seldom win.
std::vector<Machine> with_a_rule_more(const Machine& machine) {
    std::vector<Machine> others;
    if (is_telegraph(machine)) return others;
    if (machine.widest() == 1 && machine.has_one_limit() && !machine.pairwise) {
        others.push_back(machine);
        others.back().pairwise = true;
    }
    if (machine.links == Duplex::full) {
        others.push_back(machine);
        others.back().links = Duplex::half;
    }
    return others;
}

}  // namespace

Start following(Schedule plan, const Machine& machine, const Collective& collective, Routes routes) {
    return following(std::make_shared<const Schedule>(std::move(plan)), machine, collective, routes);
}

Start following(std::shared_ptr<const Schedule> kept, const Machine& machine, const Collective& collective,
                Routes routes) {
    if (machine.topology->fabric() != nullptr && routes == Routes::of_machine)
        kept = std::make_shared<const Schedule>(laid_on_wires(*kept, machine));
    const Sent sent = has_one_target_each(collective, machine.topology->nodes()) ? Sent::once : Sent::often;
    Job job = job_following(*kept, machine, collective, Naming::contributions, sent, routes);
    return {.program = [kept, follow = std::move(job.program)](Node& self) { return follow(self); },
            .starters = std::move(job.starters),
            .starters_wait_until = std::move(job.starters_wait_until),
            .others_receive = job.others_receive};
}

KeptPlans::Shared KeptPlans::of(const Machine& machine, const Collective& collective,
                                const std::function<Schedule()>& make, std::string_view besides) {
    const Costs& costs = machine.costs;  // plans weigh the prices of links by these
    const std::string asked =
        fmt::format("{} {} {} {} {} {} {} {} {} {} {}", machine.describe(), machine.combining,
                    name(collective.operation), text(collective.permutation), collective.packets_each, collective.root,
                    collective.packet_bytes, costs.startup, costs.hop, costs.byte, besides);
    {
        const std::lock_guard lock(mutex_);
        for (const Entry& entry : entries_)
            if (entry.asked == asked && entry.topology.lock() == machine.topology &&
                entry.counts.lock() == collective.counts && entry.members.lock() == collective.members)
                return entry.plan;
    }
    Shared plan = std::make_shared<const Schedule>(make());
    const std::lock_guard lock(mutex_);
    if (plan->size() > messages_max_) return plan;
    if (entries_.size() == plans_max_) entries_.pop_front();
    entries_.push_back({machine.topology, collective.counts, collective.members, asked, plan});
    return plan;
}

Schedule cheapest_plan(const Machine& asked, const Collective& collective,
                       const std::function<Planned(const Machine&)>& plan) {
    const Machine machine = in_one_form(asked);
    Planned best = plan(machine);
    if (best.is_least) return std::move(best.schedule);
    const auto latency = [&](const Schedule& schedule) {
        return schedule.empty() ? std::numeric_limits<double>::infinity()
                                : *counted_cost(schedule, machine, collective).latency;
    };
    const auto may_be_less = [&](const Machine& on, double than) {
        return lower_bounds(on, collective)[Quantity::latency].largest().value_or(0) < than * (1 - 1e-9);
    };
    double lowest = latency(best.schedule);
    if (!may_be_less(machine, lowest)) return std::move(best.schedule);
    for (const Machine& other : with_a_rule_more(machine)) {
        if (!may_be_less(other, lowest)) continue;
        Planned found = plan(other);
        if (const double there = latency(found.schedule); there < lowest * (1 - 1e-9)) {
            lowest = there;
            best = std::move(found);
        }
    }
    return std::move(best.schedule);
}

Round least_rounds(const Machine& machine, const Collective& collective) {
    return static_cast<Round>(lower_bounds(machine, collective)[Quantity::rounds].largest().value_or(0));
}

ExpectedCost counted_cost(const Schedule& plan, const Machine& machine, const Collective& collective) {
    const std::uint64_t segments = collective.folds() ? collective.segments(machine.topology->nodes()) : 1;
    Hops work = 0;
    Hops path_sum = 0;
    std::uint64_t volume = 0;
    double latency = 0;
    for (std::size_t i = 0; i < plan.size();) {
        const Round round = plan.round(i);
        Hops longest = 0;
        std::uint64_t largest = 0;
        double slowest = 0;
        for (; i < plan.size() && plan.round(i) == round; ++i) {
            const Transfer transfer = plan.transfer(i);
            const Hops hops = transfer.route.size();
            const std::uint64_t packets = collective.signals() ? 0
                                          : collective.folds() ? values_in(transfer.packets, collective, segments)
                                                               : size_of(transfer.packets);
            work += hops;
            longest = std::max(longest, hops);
            largest = std::max(largest, packets);
            slowest = std::max(slowest, machine.costs.latency(hops, packets * collective.packet_bytes));
        }
        path_sum += longest;
        volume += largest;
        latency += slowest;
    }
    return {plan.rounds(),
            work,
            path_sum,
            volume,
            {fmt::format("the schedule is planned on this graph, and counted: {} in {}, work {}",
                         counted(plan.size(), "message"), counted(plan.rounds(), "round"), work),
             fmt::format("the largest bundles of the rounds together: volume {}", counted(volume, "packet"))},
            latency};
}

}  // namespace kport
