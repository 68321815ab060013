#include "app/pictures/story.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "emulator/report/report.hpp"
#include "emulator/report/words.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/schedule/participants.hpp"
#include "emulator/topology/fabric.hpp"
#include "emulator/topology/members.hpp"

namespace kport {
namespace {

Schedule up_to(const Schedule& schedule, Round last) {
    Schedule kept;
    for (std::size_t i = 0; i < schedule.size() && schedule.round(i) <= last; ++i)
        kept.add(schedule.round(i), schedule.transfer(i));
    for (const Silence& silence : schedule.silences())
        if (silence.first <= last) kept.add_silent(silence.first, silence.count);
    return kept;
}

/// Messages from and to switches are broken rules, and move nothing; reports name them.
Schedule between_hosts(const Schedule& schedule, NodeId hosts) {
    Schedule kept;
    for (std::size_t i = 0; i < schedule.size(); ++i)
        if (schedule.transfer(i).from < hosts && schedule.transfer(i).to < hosts)
            kept.add(schedule.round(i), schedule.transfer(i));
    for (const Silence& silence : schedule.silences()) kept.add_silent(silence.first, silence.count);
    return kept;
}

std::string cost_of(const Report& report) {
    std::string text;
    for (const QuantityRow& row : quantity_rows) {
        const BoundLine& bound = report.bounds[row.quantity];
        const std::optional<bool> met = optimal(report, row.quantity);
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", row.label(), number(row.of(report.verdict.metrics)));
        if (met.value_or(false))
            text += report.verdict.lawful() ? ": optimal" : "";
        else if (bound.value)
            text += fmt::format(" (bound {})", number(*bound.value));
    }
    return text + "; " + verdict_text(report).text;
}

/// Returns "1 port"; for a machine that differs in more than its ports, all that a report says of it.
std::string rules_of(const Machine& machine) {
    Machine plain;
    plain.ports = machine.ports;
    if (rules_in_words(machine) != rules_in_words(plain)) return rules_in_words(machine);
    if (!machine.ports.is_even()) return machine.ports.text() + " ports";
    return machine.ports.is_all() ? "all ports" : counted(machine.ports.k(), "port");
}

std::vector<std::pair<std::string, std::string>> facts_of(const Report& report) {
    std::vector<std::pair<std::string, std::string>> facts;
    if (!report.rule.empty()) facts.emplace_back("algorithm", report.rule);
    const BoundLine& rounds = report.bounds[Quantity::rounds];
    if (rounds.value && !rounds.binding.empty())
        facts.emplace_back("bound on rounds", fmt::format("{}, {}", number(*rounds.value), rounds.binding));
    for (const Injected& fault : report.faults) facts.emplace_back("injected fault", fault.what);
    if (!report.faults.empty())
        facts.emplace_back("note", "drawn is what was sent; what came, and came whole, is in the verdict");
    if (!report.again.empty()) facts.emplace_back("again", report.again);
    return facts;
}

bool happened(const Violation& violation) {
    return violation.round != 0 && stage_of(violation.breach) == BreachStage::happens;
}

}  // namespace

bool Story::is_switch(NodeId v) const {
    const auto* fabric = dynamic_cast<const Fabric*>(&wires());
    return fabric != nullptr && fabric->is_switch(v);
}

namespace {

/// Takes members to the machine that was named, where the collective has a form there.
void show_on_named_machine(Story& story) {
    const std::shared_ptr<const Topology> members = story.machine.topology;
    if (members->membership() == nullptr) return;
    const std::optional<Collective> outside = collective_outside(story.collective, *members);
    if (!outside) return;
    story.schedule = schedule_outside(story.schedule, story.collective, *members);
    story.collective = *outside;
    story.machine.topology = members->membership()->whole;
    story.machine.node_ports = nullptr;
    for (Violation& violation : story.verdict.violations)
        for (NodeId* const v : {&violation.node, &violation.other, &violation.earlier_other})
            if (*v != no_node && *v < members->wires().nodes()) *v = members->wires().number(*v);
}

}  // namespace

std::string without_folders(std::string text, const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return text;
    const std::size_t colon = path.find(':');  // of "file:/home/a/graph.txt"
    const std::string kept = (colon < slash ? path.substr(0, colon + 1) : "") + path.substr(slash + 1);
    for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, at + kept.size()))
        text.replace(at, path.size(), kept);
    return text;
}

Story story_of(const Report& report, Schedule recorded) {
    const Round last = static_cast<Round>(report.verdict.metrics.rounds);
    if (report.stopped && recorded.rounds() > last) recorded = up_to(recorded, last);
    if (const Topology& hosts = *report.machine.topology; hosts.fabric() != nullptr)
        recorded = between_hosts(recorded, hosts.nodes());
    Collective collective = report.collective;
    std::string heading = title(collective, report.root, *report.machine.topology);
    if (!report.algorithm.empty()) heading += " by " + report.algorithm;
    heading += ", " + rules_of(report.machine);
    Story story{report.machine, std::move(collective), std::move(recorded),
                report.verdict, std::move(heading),    cost_of(report)};
    for (const QuantityRow& row : quantity_rows) story.bounds[row.quantity] = report.bounds[row.quantity].value;
    story.facts = facts_of(report);
    const auto shorten = [&](std::string& text) {
        text = without_folders(without_folders(std::move(text), report.algorithm), report.machine.topology->spec());
    };
    shorten(story.title);
    for (auto& [name, text] : story.facts) shorten(text);
    show_on_named_machine(story);
    return story;
}

Story story_of(std::shared_ptr<const Topology> topology, std::string facts) {
    Story story;
    story.title = topology->spec();
    story.cost = std::move(facts);
    story.machine.topology = std::move(topology);
    story.collective = Collective::none();
    story.verdict.delivered = true;
    return story;
}

bool is_machine_alone(const Story& story) { return !story.collective.promises() && story.schedule.empty(); }

std::vector<Step> steps_of(const Story& story) {
    std::vector<Step> steps;
    const Schedule& schedule = story.schedule;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        if (steps.empty() || steps.back().round != schedule.round(i)) steps.push_back({schedule.round(i), i, i});
        ++steps.back().end;
    }
    const std::vector<Violation>& violations = story.verdict.violations;
    for (std::size_t i = 0; i < violations.size(); ++i) {
        if (!happened(violations[i])) continue;
        auto at = std::ranges::lower_bound(steps, violations[i].round, {}, &Step::round);
        if (at == steps.end() || at->round != violations[i].round) {
            const std::size_t begin = at == steps.end() ? schedule.size() : at->begin;
            at = steps.insert(at, {violations[i].round, begin, begin});
        }
        at->violations.push_back(i);
    }
    return steps;
}

bool speaks_of(const Violation& violation, Round round, const Transfer& transfer) {
    if (!happened(violation) || violation.round != round) return false;
    const auto one_of_its_ends = [&](NodeId v) { return v == transfer.from || v == transfer.to; };
    if (violation.other != no_node) return one_of_its_ends(violation.node) && one_of_its_ends(violation.other);
    return violation.node == transfer.from && violation.port != no_port && !transfer.route.empty() &&
           transfer.route.front() == violation.port;
}

std::optional<Rule> rule_broken_by(const Story& story, const Step& step, const Transfer& transfer) {
    for (const std::size_t i : step.violations)
        if (speaks_of(story.verdict.violations[i], step.round, transfer)) return story.verdict.violations[i].rule();
    return std::nullopt;
}

bool is_result(const Collective& collective, const PacketBlock& packets, NodeId nodes) {
    return collective.folds() && packets.columns() == result_packet(nodes).columns();
}

NodeStates::NodeStates(const Story& story)
    : story_(story), held_(story.topology().nodes()), learned_(story.topology().nodes(), never) {
    if (!story.collective.promises()) return;
    for (NodeId v = 0; v < held_.size(); ++v) {
        held_[v] = story.collective.owned(v, held_.size());
        if (!story.collective.inwards() || v == story.collective.root) look_at(v, 0);
    }
}

void NodeStates::look_at(NodeId v, Round round) {
    if (learned_[v] == never && held_[v].covers(story_.collective.wanted(v, held_.size()).blocks()))
        learned_[v] = round;
}

void NodeStates::pass_on(const Transfer& transfer) {
    const Operation& operation = story_.collective.operation;
    const bool one_taker = operation == Operation::scatter || operation == Operation::gather ||
                           operation == Operation::alltoall || operation == Operation::reduce;
    if (!one_taker) return;
    const PacketSet own = story_.collective.wanted(transfer.from, held_.size());
    held_[transfer.from].remove(span_of(without(transfer.packets, own)));
}

/// A result is all contributions to its segment.
void NodeStates::take_up(PacketSet& held, std::span<const PacketBlock> packets) const {
    for (const PacketBlock& block : packets)
        if (is_result(story_.collective, block, held_.size()))
            held.include(contributions_to({&block, 1}, held_.size()));
        else
            held.include({&block, 1});
}

void NodeStates::take(const Step& step) {
    const Collective& collective = story_.collective;
    for (std::size_t i = step.begin; i < step.end; ++i) pass_on(story_.schedule.transfer(i));
    for (std::size_t i = step.begin; i < step.end; ++i) {
        const Transfer transfer = story_.schedule.transfer(i);
        if (!collective.promises()) {
            learned_[transfer.to] = std::min(learned_[transfer.to], step.round);
            continue;
        }
        if (collective.one_packet())
            held_[transfer.to].replace(PacketBlock{});
        else
            take_up(held_[transfer.to], transfer.packets);
        if (!collective.inwards() || transfer.to == collective.root) look_at(transfer.to, step.round);
        if (collective.inwards() && transfer.from != collective.root)
            learned_[transfer.from] = std::min(learned_[transfer.from], step.round);
    }
}

Has NodeStates::has(NodeId v) const {
    if (learned_[v] == 0 && held_[v].empty()) return Has::nothing;  // it is promised nothing: it takes no part
    if (learned_[v] != never) return story_.collective.inwards() && v != story_.collective.root ? Has::gave : Has::all;
    return held_[v].empty() ? Has::nothing : Has::some;
}

std::vector<Meaning> meanings_of(const Story& story) {
    const Collective& collective = story.collective;
    if (is_machine_alone(story)) return {};
    if (!collective.promises()) return {{Has::all, "has received"}, {Has::nothing, "has not"}};
    if (collective.inwards())
        return {{Has::some, "has not sent"}, {Has::gave, "has sent"}, {Has::all, "has everything"}};
    if (collective.signals()) return {{Has::all, "knows that all have entered"}, {Has::some, "knows of some"}};
    if (collective.one_packet()) return {{Has::all, "holds the packet"}, {Has::nothing, "does not"}};
    return {{Has::all, "holds all it is promised"}, {Has::some, "holds some"}, {Has::nothing, "holds nothing"}};
}

std::vector<Round> rounds_learned(const Story& story) {
    NodeStates nodes(story);
    for (const Step& step : steps_of(story)) nodes.take(step);
    std::vector<Round> rounds;
    for (NodeId v = 0; v < story.topology().nodes(); ++v) rounds.push_back(nodes.learned(v));
    return rounds;
}

std::string learning_of(const Story& story) {
    const Collective& collective = story.collective;
    if (!collective.promises()) return "the round in which each node received its first message";
    if (collective.inwards())
        return fmt::format("the round in which each node sent; of node {} that in which it had everything",
                           collective.root);
    return fmt::format("the round after which each node {} {}", collective.signals() ? "knows" : "holds",
                       noun_of_one(collective.operation, collective.packets_each));
}

}  // namespace kport
