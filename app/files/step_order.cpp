#include "app/files/step_order.hpp"

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

StepOrder::StepOrder(const std::vector<RankedStep>& steps, bool buffered) : steps_(steps), order_(2 * steps.size()) {
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
        for (const std::uint32_t step : steps[i].after) order_.order(end_of(step), start_of(i), Before::awaited);
        for (const std::uint32_t step : steps[i].after_start)
            order_.order(start_of(step), start_of(i), Before::awaited);
        order_.order(start_of(i), end_of(i), Before::in_program);
        if (steps[i].kind == RankedStep::Kind::receive && steps[i].partner != RankedStep::none) {
            order_.order(start_of(steps[i].partner), end_of(i), Before::awaited);
            if (!buffered) order_.order(start_of(i), end_of(steps[i].partner), Before::awaited);
        }
    }
    followers_ = order_.followers();
}

namespace {

/// Marks an event and all reached by `next_of`, and calls a function with each.
template <class NextOf>
std::vector<bool> reached_from(EventId event, EventId events, const NextOf& next_of) {
    std::vector<bool> reached(events);
    std::vector<EventId> open = {event};
    reached[event] = true;
    while (!open.empty()) {
        const EventId at = open.back();
        open.pop_back();
        next_of(at, [&](EventId next) {
            if (!reached[next]) open.push_back(next);
            reached[next] = true;
        });
    }
    return reached;
}

}  // namespace

std::vector<bool> StepOrder::all_after(EventId event) const {
    return reached_from(event, order_.size(), [&](EventId at, const auto& each) {
        for (const EventId next : followers_[at]) each(next);
    });
}

std::vector<bool> StepOrder::all_before(EventId event) const {
    return reached_from(event, order_.size(), [&](EventId at, const auto& each) {
        for (const Precedence::Edge& edge : order_.before(at)) each(edge.before);
    });
}

std::string StepOrder::cycle_in_words() const {
    std::vector<std::uint32_t> cycle;
    for (const Precedence::Edge& edge : order_.shortest_cycle())
        if (cycle.empty() || cycle.back() != step_of(edge.before)) cycle.push_back(step_of(edge.before));
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
