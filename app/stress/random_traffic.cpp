#include "app/stress/random_traffic.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulator/schedule/collective.hpp"

namespace kport {

namespace {

Cargo cargo_of(const RandomPlan& plan, const RandomPlan::Message& message) {
    if (plan.broadcasts()) return Packet(0);
    return message.passed ? Cargo::passed(message.packets) : Cargo(message.packets);
}

Program send(Node& self, const RandomPlan& plan, const RandomPlan::Message& message) {
    const RandomPlan::Route& route = plan.route(message);
    const Cargo cargo = cargo_of(plan, message);
    if (plan.routes_messages())
        co_await self.send_along(message.to, route, cargo);
    else
        co_await self.send(route.front(), cargo);
}

/// Throws unless the program sees what was sent to it: a message of that sender, by a link from it, of an earlier
/// round.
void check(const Node& self, const RandomPlan& plan, const Arrival& arrival) {
    const auto refuse = [&](std::string_view what) {
        throw std::logic_error(fmt::format("a message from node {} by port {} in round {}, received in round {}: {}",
                                           arrival.from, arrival.port, arrival.round, self.round(), what));
    };
    if (arrival.round == 0 || arrival.round >= self.round()) refuse("no earlier round");
    // In a fabric a wormhole message may come from a host that is not one message away: by no port.
    const bool is_far = plan.wormhole() && self.topology().port_to(self.id(), arrival.from) == no_port;
    if (!is_far || self.topology().fabric() == nullptr) {
        const NodeId next = self.topology().across(self.id(), arrival.port).node;
        if (next == no_node) refuse("no such port");
        if (!plan.wormhole() && next != arrival.from) refuse("another neighbour is there");
    }
    const PacketSet came = plan.broadcasts() ? PacketSet(PacketBlock{0}) : arrival.packets();
    const auto is_this = [&](const RandomPlan::Step& step) {
        const RandomPlan::Message& message = plan.message(step.message);
        if (step.sends || message.from != arrival.from) return false;
        return plan.reduces() || (message.packets.size() == came.size() && message.packets.covers(came.blocks()));
    };
    if (std::ranges::none_of(plan.steps(self.id()), is_this)) refuse("no node sends it");
}

/// Returns the sends that follow from the i-th step on.
std::vector<SendRequest> sends_from(const Node& self, const RandomPlan& plan, std::size_t i) {
    std::vector<SendRequest> sends;
    const std::vector<RandomPlan::Step>& steps = plan.steps(self.id());
    for (; i < steps.size() && steps[i].sends; ++i) {
        const RandomPlan::Message& message = plan.message(steps[i].message);
        const RandomPlan::Route& route = plan.route(message);
        const Cargo cargo = cargo_of(plan, message);
        sends.push_back(plan.routes_messages() ? SendRequest(message.to, route, cargo)
                                               : SendRequest(route.front(), cargo));
    }
    return sends;
}

Program wait_until(Node& self, const RandomPlan& plan, Round round) {
    if (plan.sleeps())
        co_await self.until(round);
    else
        while (self.round() < round) co_await self.next_round();
}

Program in_order(Node& self, const RandomPlan& plan) {
    if (const Round begin = plan.begins(self.id()); begin > 1) co_await wait_until(self, plan, begin);
    const std::vector<RandomPlan::Step>& steps = plan.steps(self.id());
    // A node that waits in vain does not receive the last message; it has come all the same.
    std::size_t end = steps.size();
    while (plan.waits_in_vain(self.id()) && end > 0 && !steps[end - 1].sends) --end;
    for (std::size_t i = 0; i < end; ++i) {
        if (steps[i].pause != 0) co_await wait_until(self, plan, self.round() + steps[i].pause);
        if (steps[i].sends && plan.declares()) {
            const std::vector<SendRequest> together = sends_from(self, plan, i);
            co_await self.send_together(together);
            i += together.size() - 1;
            continue;
        }
        const RandomPlan::Message& message = plan.message(steps[i].message);
        if (steps[i].sends) {
            co_await send(self, plan, message);
            continue;
        }
        const NodeId from = message.from;
        const Arrival arrival = co_await self.receive_from(from);
        check(self, plan, arrival);
    }
    const NodeId anyone = self.id() == 0 ? 1 : 0;
    if (plan.waits_in_vain(self.id())) co_await self.receive_from(anyone);
}

/// Sends what can go, receives whatever comes first, and so on.
Program as_it_comes(Node& self, const RandomPlan& plan) {
    std::vector<const RandomPlan::Message*> left;
    std::size_t to_come = 0;
    for (const RandomPlan::Step& step : plan.steps(self.id())) {
        if (step.sends)
            left.push_back(&plan.message(step.message));
        else
            ++to_come;
    }
    PacketSet held = plan.owned_by(self.id());
    if (const Round begin = plan.begins(self.id()); begin > 1) co_await wait_until(self, plan, begin);
    for (;;) {
        for (std::size_t i = 0; i < left.size();) {
            const RandomPlan::Message& message = *left[i];
            if (!held.covers(message.packets.blocks())) {
                ++i;
                continue;
            }
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
            co_await send(self, plan, message);
        }
        if (to_come-- == 0) break;
        const Arrival arrival = co_await self.receive();
        check(self, plan, arrival);
        const PacketSet came = plan.broadcasts() ? PacketSet(PacketBlock{0}) : arrival.packets();
        held.add(without(came.blocks(), held.blocks()));
    }
    if (plan.waits_in_vain(self.id())) co_await self.receive();
}

Program fold_and_pass(Node& self, const RandomPlan& plan) {
    Value total = self.contribution();
    if (const Round begin = plan.begins(self.id()); begin > 1) co_await wait_until(self, plan, begin);
    for (const RandomPlan::Step& step : plan.steps(self.id())) {
        if (step.pause != 0) co_await wait_until(self, plan, self.round() + step.pause);
        const RandomPlan::Message& message = plan.message(step.message);
        if (!step.sends) {
            const NodeId from = message.from;
            if (plan.takes_any()) {
                const Arrival arrival = co_await self.receive();
                check(self, plan, arrival);
                total = self.fold(total, arrival.value());
            } else {
                const Arrival arrival = co_await self.receive_from(from);
                check(self, plan, arrival);
                total = self.fold(total, arrival.value());
            }
            continue;
        }
        const RandomPlan::Route& route = plan.route(message);
        if (plan.routes_messages())
            co_await self.send_along(message.to, route, total);
        else
            co_await self.send(route.front(), total);
    }
    if (self.id() == plan.root()) self.result(total);
}

std::optional<std::string> misfit(const Case& c) {
    const Operation& operation = c.collective.operation;
    const NodeId nodes = c.topology().nodes();
    if (c.collective.packets(nodes) * nodes > random_traffic_messages_max)
        return fmt::format("draws a tree for each packet: at most {} messages", random_traffic_messages_max);
    if (operation.folds() && operation != Operation::reduce) return "folds along one tree: reduce alone";
    if (operation == Operation::reduce && !c.options.reduction.commutative())
        return "folds in any order: a commutative operator";
    return std::nullopt;
}

Job job_of(const Case& c, bool repeats) {
    const auto plan = std::make_shared<const RandomPlan>(c, repeats);
    Job job;
    job.machine = c.machine;
    job.collective = c.collective;
    job.reduction = c.options.reduction;
    job.seed = c.seed;
    job.starters = plan->starters();
    job.others_receive = plan->others_receive();
    job.program = [plan](Node& self) {
        if (plan->reduces()) return fold_and_pass(self, *plan);
        return plan->takes_any() ? as_it_comes(self, *plan) : in_order(self, *plan);
    };
    return job;
}

Subject subject(std::string_view name, bool repeats) {
    Subject subject;
    subject.name = name;
    subject.misfit = [repeats](const Case& c) -> std::optional<std::string> {
        if (repeats && c.collective.folds()) return "a contribution must not come again";
        return misfit(c);
    };
    subject.job = [repeats](const Case& c) { return job_of(c, repeats); };
    subject.run = [repeats](const Case& c, const RunOptions& options) {
        const Job job = job_of(c, repeats);
        return run(job, options);
    };
    subject.depends_on_order = [repeats](const Case& c) { return RandomPlan(c, repeats).depends_on_order(); };
    subject.breaks = {Rule::strict};
    if (repeats) subject.breaks.insert(subject.breaks.end(), {Rule::nodup, Rule::noho, Rule::delivery});
    return subject;
}

}  // namespace

Subject random_traffic() { return subject(random_traffic_name, false); }
Subject random_gossip() { return subject(random_gossip_name, true); }
std::vector<Subject> random_subjects() { return {random_traffic(), random_gossip()}; }

}  // namespace kport
