/// @file kept.hpp   A cache of what was found about a graph, since bounds are asked for with many M.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {

/// The most recent values that depend only on the graph, the root, and the ports or what is named instead. Thread-safe.
template <class Value>
class Kept {
  public:
    using Shared = std::shared_ptr<const Value>;

    /// Returns find(facts), or its cached result.
    template <class Find>
    [[nodiscard]] Shared of(const Facts& facts, const Find& find) {
        return of(facts, facts.ports, find);
    }
    /// As above, for values that depend on `rules` and not on the ports; equal numbers stand for equal rules.
    template <class Find>
    [[nodiscard]] Shared of(const Facts& facts, std::uint64_t rules, const Find& find) {
        if (Shared known = known_of(facts, rules)) return known;
        Shared value = std::make_shared<const Value>(find(facts));
        const std::lock_guard lock(mutex_);
        if (entries_.size() == entries_max) entries_.pop_front();
        entries_.push_back({facts.machine.topology, rules, facts.root, value});
        return value;
    }

  private:
    static constexpr std::size_t entries_max = 16;

    struct Entry {
        std::weak_ptr<const Topology> graph;
        std::uint64_t rules;
        NodeId root;
        Shared value;
    };

    [[nodiscard]] Shared known_of(const Facts& facts, std::uint64_t rules) {
        const std::lock_guard lock(mutex_);
        for (const Entry& entry : entries_)
            if (entry.rules == rules && entry.root == facts.root && entry.graph.lock() == facts.machine.topology)
                return entry.value;
        return nullptr;
    }

    std::mutex mutex_;
    std::deque<Entry> entries_;
};

}  // namespace kport::bounds
