#include "app/files/precedence.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <utility>

namespace kport {

std::vector<std::vector<EventId>> Precedence::followers() const {
    std::vector<std::vector<EventId>> followers(before_.size());
    for (EventId event = 0; event < size(); ++event)
        for (const Edge& edge : before_[event]) followers[edge.before].push_back(event);
    return followers;
}

std::vector<EventId> Precedence::executable() const {
    const std::vector<std::vector<EventId>> followers = this->followers();
    std::vector<std::size_t> missing(before_.size());
    std::priority_queue<EventId, std::vector<EventId>, std::greater<>> ready;
    for (EventId event = 0; event < size(); ++event) {
        missing[event] = before_[event].size();
        if (missing[event] == 0) ready.push(event);
    }
    std::vector<EventId> order;
    order.reserve(before_.size());
    while (!ready.empty()) {
        const EventId event = ready.top();
        ready.pop();
        order.push_back(event);
        for (const EventId next : followers[event])
            if (--missing[next] == 0) ready.push(next);
    }
    return order;
}

std::optional<std::vector<EventId>> Precedence::topological() const {
    std::vector<EventId> order = executable();
    if (order.size() != before_.size()) return std::nullopt;
    return order;
}

/// Breadth-first search from each waiting event over its predecessors; steps within a block cost nothing. Once a cycle
/// is known, a search ends where it cannot find a shorter one; the total work is bounded, then the best cycle so far is
/// taken.
std::vector<Precedence::Edge> Precedence::shortest_cycle() const {
    constexpr std::uint64_t work_max = std::uint64_t{1} << 28;
    std::vector<bool> stuck(before_.size(), true);
    for (const EventId event : executable()) stuck[event] = false;
    std::vector<Edge> best;
    std::size_t best_waits = std::numeric_limits<std::size_t>::max();
    std::vector<EventId> reached_from(before_.size(), no_event);  // the last search that visited an event
    std::vector<std::size_t> waits(before_.size());
    std::vector<Edge> next_to(before_.size());  // the event from which the search came, and why it is ordered
    std::uint64_t work = 0;
    const auto keep = [&](EventId start, EventId last, Before why) {
        best.clear();
        for (EventId event = last; event != start; event = next_to[event].before) {
            best.push_back({event, why});
            why = next_to[event].why;
        }
        best.push_back({start, why});
        std::ranges::reverse(best);  // from the start on, each with why it is behind the next
    };
    for (EventId start = 0; start < size() && (best.empty() || work < work_max); ++start) {
        if (!stuck[start] ||
            std::ranges::all_of(before_[start], [](const Edge& e) { return e.why == Before::in_program; }))
            continue;
        std::deque<EventId> open = {start};
        reached_from[start] = start;
        waits[start] = 0;
        while (!open.empty()) {
            const EventId event = open.front();
            open.pop_front();
            if (waits[event] >= best_waits) break;
            for (const Edge& edge : before_[event]) {
                ++work;
                if (!stuck[edge.before]) continue;
                const std::size_t cost = waits[event] + (edge.why == Before::in_program ? 0 : 1);
                if (edge.before == start) {
                    if (cost >= best_waits) continue;
                    best_waits = cost;
                    keep(start, event, edge.why);
                    continue;
                }
                if (reached_from[edge.before] == start && waits[edge.before] <= cost) continue;
                reached_from[edge.before] = start;
                waits[edge.before] = cost;
                next_to[edge.before] = {event, edge.why};
                if (edge.why == Before::in_program)
                    open.push_front(edge.before);
                else
                    open.push_back(edge.before);
            }
        }
    }
    return best;
}

}  // namespace kport
