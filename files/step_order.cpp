#include "files/step_order.hpp"

#include <algorithm>
#include <deque>
#include <limits>

#include <fmt/format.h>

namespace kport {

std::string in_words(const RankedStep& step) {
    const std::string peer = step.peer == no_node ? "any rank" : fmt::format("{}", step.peer);
    std::string what = "a step";
    if (step.kind == RankedStep::Kind::send) what = "send to " + peer;
    if (step.kind == RankedStep::Kind::receive) what = "receive from " + peer;
    if (step.rank == no_node) return fmt::format("the barrier at line {}", step.line);
    return fmt::format("rank {} line {} ({})", step.rank, step.line, what);
}

StepOrder::StepOrder(const std::vector<RankedStep>& steps, bool buffered)
    : steps_(steps), before_(2 * steps.size()), followers_(2 * steps.size()) {
    const auto order = [&](Event before, Event after) {
        before_[after].push_back(before);
        followers_[before].push_back(after);
    };
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
        for (const std::uint32_t step : steps[i].after) order(end_of(step), start_of(i));
        for (const std::uint32_t step : steps[i].after_start) order(start_of(step), start_of(i));
        order(start_of(i), end_of(i));
        if (steps[i].kind == RankedStep::Kind::receive && steps[i].partner != RankedStep::none) {
            order(start_of(steps[i].partner), end_of(i));
            if (!buffered) order(start_of(i), end_of(steps[i].partner));
        }
    }
}

std::vector<StepOrder::Event> StepOrder::executable() const {
    std::vector<std::size_t> missing(before_.size());
    std::vector<Event> order;
    for (Event event = 0; event < before_.size(); ++event)
        if ((missing[event] = before_[event].size()) == 0) order.push_back(event);
    for (std::size_t at = 0; at < order.size(); ++at)
        for (const Event next : followers_[order[at]])
            if (--missing[next] == 0) order.push_back(next);
    return order;
}

std::optional<std::vector<StepOrder::Event>> StepOrder::topological() const {
    std::vector<Event> order = executable();
    if (order.size() != before_.size()) return std::nullopt;
    return order;
}

std::vector<bool> StepOrder::all_after(Event event) const {
    std::vector<bool> reached(before_.size());
    std::vector<Event> open = {event};
    reached[event] = true;
    while (!open.empty()) {
        const Event at = open.back();
        open.pop_back();
        for (const Event next : followers_[at])
            if (!reached[next]) {
                reached[next] = true;
                open.push_back(next);
            }
    }
    return reached;
}

/// Breadth first from each event that waits, as long as the bounded work lasts.
std::vector<StepOrder::Event> StepOrder::short_cycle() const {
    constexpr std::uint64_t work_max = std::uint64_t{1} << 24;
    constexpr Event nothing = std::numeric_limits<Event>::max();
    std::vector<bool> stuck(before_.size(), true);
    for (const Event event : executable()) stuck[event] = false;
    std::vector<Event> best;
    std::vector<Event> seen_from(before_.size(), nothing);
    std::vector<Event> next_to(before_.size(), nothing);
    std::uint64_t work = 0;
    for (Event start = 0; start < before_.size() && (best.empty() || work < work_max); ++start) {
        if (!stuck[start]) continue;
        std::deque<Event> open = {start};
        seen_from[start] = start;
        bool closed = false;
        while (!open.empty() && !closed) {
            const Event event = open.front();
            open.pop_front();
            for (const Event before : before_[event]) {
                ++work;
                if (!stuck[before]) continue;
                if (before == start) {
                    std::vector<Event> cycle = {event};
                    while (cycle.back() != start) cycle.push_back(next_to[cycle.back()]);
                    std::ranges::reverse(cycle);  // each waits for the one behind it
                    if (best.empty() || cycle.size() < best.size()) best = std::move(cycle);
                    closed = true;
                    break;
                }
                if (seen_from[before] == start) continue;
                seen_from[before] = start;
                next_to[before] = event;
                open.push_back(before);
            }
        }
    }
    return best;
}

std::string StepOrder::cycle_in_words() const {
    std::vector<std::uint32_t> cycle;
    for (const Event event : short_cycle())
        if (cycle.empty() || cycle.back() != step_of(event)) cycle.push_back(step_of(event));
    if (cycle.size() > 1 && cycle.back() == cycle.front()) cycle.pop_back();
    std::string text = in_words(steps_[cycle.front()]);
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        const RankedStep& next = steps_[cycle[(i + 1) % cycle.size()]];
        text += fmt::format("{} {} {}", i == 0 ? "" : ", which",
                            next.rank == steps_[cycle[i]].rank ? "comes after" : "waits for", in_words(next));
    }
    return text;
}

}  // namespace kport
