#include "app/files/event_graph.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace kport {

EventId EventGraph::add(RankEvent event) {
    events_.push_back(std::move(event));
    return Precedence::add();
}

std::string EventGraph::cycle_in_words(std::vector<Edge> cycle) const {
    // Begins where a step waits, so that no run of steps of a block is split.
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

/// Which of up to 512 events are known to have happened before an event.
struct EventMask {
    std::array<std::uint64_t, 8> words = {};

    void include(const EventMask& other) {
        for (std::size_t i = 0; i < words.size(); ++i) words[i] |= other.words[i];
    }
    void set(std::size_t bit) { words[bit / 64] |= std::uint64_t{1} << (bit % 64); }
    [[nodiscard]] bool has(std::size_t bit) const { return (words[bit / 64] >> (bit % 64) & 1) != 0; }
    static constexpr std::size_t bits = 512;
};

/// What is ordered before an event by publishing edges, and by all edges.
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
        // Takes as many pairs as have up to 512 first events, and the events from the first of these to the last second
        // one.
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
