#include "emulator/audit/violation.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "emulator/audit/breach_rows.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

const BreachRow& row(Breach breach) {
    const auto place = static_cast<std::size_t>(breach);
    if (place >= breach_rows().size())
        throw RequestError(fmt::format("there is no breach {}; the last is {}", place, breach_rows().size() - 1));
    return breach_rows()[place];
}

/// Returns the text of a field of a violation (Telling). Called for fields with a meaning only.
std::string field(std::string_view what, const Violation& v, const Topology& topology) {
    const auto name_of = [&](NodeId id) {
        return id < topology.wires().nodes() ? topology.wires().name(id) : fmt::to_string(id);
    };
    const auto node = [&](NodeId id) { return "node " + name_of(id); };
    if (what == "node") return node(v.node);
    if (what == "other") return node(v.other);
    if (what == "other:number") return fmt::to_string(v.other);
    if (what == "earlier_other") return node(v.earlier_other);
    if (what == "round") return fmt::to_string(v.round);
    if (what == "earlier") return fmt::to_string(v.earlier);
    if (what == "last_round") return fmt::to_string(v.round + v.limit - 1);
    if (what == "earlier_other:number") return fmt::to_string(v.earlier_other);
    if (what == "port") return fmt::to_string(v.port);
    const std::string of_segment = v.segment == Violation::no_segment ? "" : fmt::format(" of segment {}", v.segment);
    if (what == "packet" && of_segment.empty()) return fmt::format("packet {}", v.packet);
    if (what == "packet" && v.packet == topology.nodes()) return "the result" + of_segment;
    if (what == "packet" || what == "contribution") return fmt::format("contribution {}{}", v.packet, of_segment);
    if (what == "packet:number") return fmt::to_string(v.packet);
    if (what == "contributor") return name_of(v.packet) + of_segment;
    if (what == "by") return v.port == no_port ? std::string() : fmt::format(" by port {}", v.port);
    if (what == "spec") return topology.spec();
    if (what == "last_node") return fmt::to_string(topology.nodes() - 1);
    if (what == "limit") return fmt::to_string(v.limit);
    constexpr std::string_view counts = "limit:";
    invariant(what.starts_with(counts), "a violation has the fields that its story names");
    return counted(v.limit, what.substr(counts.size()));
}

std::string filled(std::string_view line, const Violation& violation, const Topology& topology) {
    std::string text;
    for (std::size_t at = 0;;) {
        const std::size_t open = line.find('{', at);
        text += line.substr(at, open - at);
        if (open == std::string_view::npos) return text;
        const std::size_t close = line.find('}', open);
        text += field(line.substr(open + 1, close - open - 1), violation, topology);
        at = close + 1;
    }
}

}  // namespace

std::size_t breach_count() { return breach_rows().size(); }
Rule rule_of(Breach breach) { return row(breach).rule; }
BreachStage stage_of(Breach breach) { return row(breach).stage; }
bool comes_of_competition(Breach breach) { return row(breach).competition; }

std::vector<std::string> story(const Violation& violation, const Topology& topology) {
    const auto told = std::ranges::find_if(row(violation.breach).tellings, [&](const Telling& telling) {
        return telling.of == nullptr || telling.of(violation, topology);
    });
    std::vector<std::string> lines;
    for (const std::string_view line : told->lines)
        if (!line.empty()) lines.push_back(filled(line, violation, topology));
    return lines;
}

std::string sentence(const Violation& violation, const Topology& topology) {
    const std::vector<std::string> lines = story(violation, topology);
    std::string text = lines.front();
    if (lines.size() > 1) text += fmt::format(": {}", fmt::join(lines.begin() + 1, lines.end(), ", "));
    // A story has columns; a sentence needs one space.
    for (std::size_t gap = text.find("    "); gap != std::string::npos; gap = text.find("    "))
        text.replace(gap, 4, " ");
    return text;
}

std::string sentence_of_first(const Counted& counted, const Topology& topology) {
    constexpr std::string_view broken = " broken: ";
    std::string text = sentence(counted.first.value(), topology);
    return text.replace(text.find(broken), broken.size(), " not kept: ");
}

void ViolationLog::add(const Violation& violation) {
    ++by_rule_[static_cast<std::size_t>(violation.rule())];
    if (!is_law(violation.rule())) {
        if (force_of(rules_, violation.rule()) == Force::counted) note_first(violation);
        return;
    }
    ++count_;
    competition_ |= comes_of_competition(violation.breach);
    keep(violation);
}

void ViolationLog::merge(const ViolationLog& other) {
    count_ += other.count_;
    for (std::size_t i = 0; i < std::size(by_rule_); ++i) by_rule_[i] += other.by_rule_[i];
    competition_ |= other.competition_;
    for (const Violation& violation : other.heap_) keep(violation);
    for (const Violation& violation : other.first_) note_first(violation);
}

void ViolationLog::note_first(const Violation& violation) {
    const auto same = std::ranges::find(first_, violation.rule(), &Violation::rule);
    if (same == first_.end())
        first_.push_back(violation);
    else if (violation < *same)
        *same = violation;
}

std::vector<Counted> ViolationLog::counted() const {
    std::vector<Counted> all;
    for (std::size_t i = 0; i < std::size(by_rule_); ++i) {
        const auto rule = static_cast<Rule>(i);
        if (force_of(rules_, rule) != Force::counted) continue;
        const auto first = std::ranges::find(first_, rule, &Violation::rule);
        all.push_back({rule, by_rule_[i], first == first_.end() ? std::nullopt : std::optional(*first)});
    }
    return all;
}

void ViolationLog::keep(const Violation& violation) {
    if (heap_.size() == most_) {
        if (heap_.empty() || !(violation < heap_.front())) return;
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.pop_back();
    }
    heap_.push_back(violation);
    std::push_heap(heap_.begin(), heap_.end());
}

std::vector<Violation> ViolationLog::listed() const {
    std::vector<Violation> sorted = heap_;
    std::sort_heap(sorted.begin(), sorted.end());
    return sorted;
}

std::vector<std::vector<NodeId>> waiting_cycles(const std::vector<Violation>& violations) {
    // A node of which several strands wait for others would be in several cycles, so it is left out.
    std::map<NodeId, NodeId> waits_for;
    std::set<NodeId> several;
    for (const Violation& violation : violations)
        if (violation.breach == Breach::waits_for_ever && violation.other != no_node &&
            !waits_for.emplace(violation.node, violation.other).second)
            several.insert(violation.node);
    for (const NodeId v : several) waits_for.erase(v);

    // Every node waits for at most one other: the chain from any node ends or runs into a cycle.
    std::set<NodeId> seen;
    std::vector<std::vector<NodeId>> cycles;
    for (const auto& [start, unused] : waits_for) {
        std::vector<NodeId> way;
        NodeId at = start;
        while (waits_for.contains(at) && seen.insert(at).second) {
            way.push_back(at);
            at = waits_for[at];
        }
        const auto closed = std::find(way.begin(), way.end(), at);
        if (closed == way.end()) continue;  // the chain ended, or met an earlier one
        std::vector<NodeId> cycle(closed, way.end());
        std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
        cycles.push_back(std::move(cycle));
    }
    std::sort(cycles.begin(), cycles.end());
    return cycles;
}

std::string cycle_in_words(const std::vector<NodeId>& cycle, const Topology& topology) {
    constexpr std::size_t told_max = 8;
    std::string text;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        if (cycle.size() > told_max && i == told_max - 1) {
            text += fmt::format(", and so on through {} nodes, ", cycle.size());
            i = cycle.size() - 1;
        } else if (i > 0) {
            text += ", ";
        }
        text += fmt::format("node {} waits for node {}", topology.name(cycle[i]),
                            topology.name(cycle[(i + 1) % cycle.size()]));
    }
    return text;
}

}  // namespace kport
