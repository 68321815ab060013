#include "files/event_graph.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include <fmt/format.h>

namespace kport {

EventId EventGraph::add(RankEvent event) {
    events_.push_back(std::move(event));
    before_.emplace_back();
    return static_cast<EventId>(events_.size() - 1);
}

std::vector<EventId> EventGraph::executable() const {
    std::vector<std::vector<EventId>> followers(events_.size());
    std::vector<std::size_t> missing(events_.size());
    std::priority_queue<EventId, std::vector<EventId>, std::greater<>> ready;
    for (EventId event = 0; event < size(); ++event) {
        missing[event] = before_[event].size();
        if (missing[event] == 0) ready.push(event);
        for (const Edge& edge : before_[event]) followers[edge.before].push_back(event);
    }
    std::vector<EventId> order;
    order.reserve(events_.size());
    while (!ready.empty()) {
        const EventId event = ready.top();
        ready.pop();
        order.push_back(event);
        for (const EventId next : followers[event])
            if (--missing[next] == 0) ready.push(next);
    }
    return order;
}

std::optional<std::vector<EventId>> EventGraph::topological() const {
    std::vector<EventId> order = executable();
    if (order.size() != events_.size()) return std::nullopt;
    return order;
}

/// Breadth first from each event that waits, over what comes before; steps within a block cost nothing. Once a cycle is known, a
/// search ends where it cannot give a shorter one; the whole work is bounded, then the best cycle so far is taken.
std::vector<EventGraph::Edge> EventGraph::shortest_cycle() const {
    constexpr std::uint64_t work_max = std::uint64_t{1} << 28;
    std::vector<bool> stuck(events_.size(), true);
    for (const EventId event : executable()) stuck[event] = false;
    std::vector<Edge> best;
    std::size_t best_waits = std::numeric_limits<std::size_t>::max();
    std::vector<EventId> reached_from(events_.size(), no_event);  // the search that saw an event last
    std::vector<std::size_t> waits(events_.size());
    std::vector<Edge> next_to(events_.size());  // the event from which the search came, and why it is behind
    std::uint64_t work = 0;
    const auto keep = [&](EventId start, EventId last, Before why) {
        best.clear();
        for (EventId event = last; event != start; event = next_to[event].before) {
            best.push_back({event, why});
            why = next_to[event].why;
        }
        best.push_back({start, why});
        std::ranges::reverse(best);  // from the start on, each with why it is behind the one that follows
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

std::string EventGraph::cycle_in_words() const {
    std::vector<Edge> cycle = shortest_cycle();
    // Begins where a step waits, so that no run of steps of a block is cut.
    const auto begin = std::ranges::find_if(cycle, [](const Edge& edge) { return edge.why != Before::in_program; });
    std::rotate(cycle.begin(), begin == cycle.end() ? cycle.begin() : begin, cycle.end());
    std::string text = name_of(cycle.front().before);
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        const bool waits = cycle[i].why != Before::in_program;
        if (!waits)
            while (i + 1 < cycle.size() && cycle[i + 1].why == Before::in_program) ++i;
        const EventId next = cycle[(i + 1) % cycle.size()].before;
        const std::string which = i == 0 ? "" : ", which";
        text += fmt::format("{} {} {}", which, waits ? "waits for" : "comes after",
                            waits || at(next).block == RankEvent::no_block
                                ? name_of(next)
                                : fmt::format("step {} ({})", at(next).step, at(next).what));
    }
    return text;
}

std::string EventGraph::place_of(EventId event) const {
    const RankEvent& it = events_[event];
    return it.block == RankEvent::no_block ? fmt::format("GPU {}", it.rank)
                                           : fmt::format("GPU {} block {} step {}", it.rank, it.block, it.step);
}

std::string EventGraph::name_of(EventId event) const {
    return fmt::format("{} ({})", place_of(event), events_[event].what);
}

namespace {

/// Which of up to 512 events have happened, as far as an event knows.
struct EventMask {
    std::array<std::uint64_t, 8> words = {};

    void include(const EventMask& other) {
        for (std::size_t i = 0; i < words.size(); ++i) words[i] |= other.words[i];
    }
    void set(std::size_t bit) { words[bit / 64] |= std::uint64_t{1} << (bit % 64); }
    [[nodiscard]] bool has(std::size_t bit) const { return (words[bit / 64] >> (bit % 64) & 1) != 0; }
    static constexpr std::size_t bits = 512;
};

/// What an event knows by edges that publish, and by all.
struct Known {
    EventMask published;
    EventMask executed;
};

}  // namespace

std::vector<std::size_t> not_ordered(const EventGraph& graph, const std::vector<EventId>& order,
                                     const std::vector<WantedOrder>& pairs) {
    std::vector<std::uint32_t> position(graph.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    std::vector<std::size_t> by_first(pairs.size());
    std::iota(by_first.begin(), by_first.end(), std::size_t{0});
    std::ranges::sort(by_first, {}, [&](std::size_t i) { return std::pair(position[pairs[i].first], i); });
    std::vector<std::size_t> missing;
    std::vector<Known> known(order.size());
    for (std::size_t begin = 0; begin < by_first.size();) {
        // As many pairs as have up to 512 first events, and the events from the first of these to the last second one.
        std::vector<std::uint32_t> firsts;
        std::uint32_t last = 0;
        std::size_t end = begin;
        for (; end < by_first.size(); ++end) {
            const WantedOrder& pair = pairs[by_first[end]];
            const std::uint32_t at = position[pair.first];
            if (firsts.empty() || firsts.back() != at) {
                if (firsts.size() == EventMask::bits) break;
                firsts.push_back(at);
            }
            last = std::max(last, position[pair.second]);
        }
        std::size_t bit = 0;
        for (std::uint32_t at = firsts.front(); at <= last; ++at) {
            Known knows;
            for (const EventGraph::Edge& edge : graph.before(order[at])) {
                const std::uint32_t from = position[edge.before];
                if (from < firsts.front()) continue;
                if (edge.why != Before::relaxed) knows.published.include(known[from].published);
                knows.executed.include(known[from].executed);
            }
            if (bit < firsts.size() && firsts[bit] == at) {
                knows.published.set(bit);
                knows.executed.set(bit++);
            }
            known[at] = knows;
        }
        std::size_t which = 0;
        for (; begin < end; ++begin) {
            const WantedOrder& pair = pairs[by_first[begin]];
            while (firsts[which] != position[pair.first]) ++which;
            const Known& knows = known[position[pair.second]];
            if (!(pair.relaxed_is_enough ? knows.executed : knows.published).has(which))
                missing.push_back(by_first[begin]);
        }
    }
    std::ranges::sort(missing);
    return missing;
}

}  // namespace kport
