/// @file reach.hpp   Which event comes before which, by explicit reachability.
#pragma once

#include <boost/dynamic_bitset.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace foreign {

/// A relation on events 0, 1, ...; O(events * edges / 64) to close, a bit for each pair.
class Reach {
  public:
    std::size_t event() {
        next_.emplace_back();
        return next_.size() - 1;
    }
    void before(std::size_t first, std::size_t second) { next_[first].push_back(second); }

    /// By event: those that were said to come after it.
    [[nodiscard]] const std::vector<std::vector<std::size_t>>& next() const { return next_; }

    /// Closes the relation. Returns false if it has a cycle.
    bool close() {
        std::vector<std::size_t> waits(next_.size());
        for (const auto& after : next_)
            for (const auto event : after) ++waits[event];
        order_.clear();
        for (std::size_t event = 0; event < next_.size(); ++event)
            if (waits[event] == 0) order_.push_back(event);
        for (std::size_t done = 0; done < order_.size(); ++done)
            for (const auto event : next_[order_[done]])
                if (--waits[event] == 0) order_.push_back(event);
        if (order_.size() < next_.size()) return false;
        reached_.assign(next_.size(), boost::dynamic_bitset<>(next_.size()));
        for (auto event = order_.rbegin(); event != order_.rend(); ++event)
            for (const auto after : next_[*event]) {
                reached_[*event].set(after);
                reached_[*event] |= reached_[after];
            }
        return true;
    }

    /// After close(): whether `first` happens before `second`.
    [[nodiscard]] bool leads(std::size_t first, std::size_t second) const { return reached_[first].test(second); }
    /// After close(): all events, each after those that happen before it.
    [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }

  private:
    std::vector<std::vector<std::size_t>> next_;
    std::vector<std::size_t> order_;
    std::vector<boost::dynamic_bitset<>> reached_;
};

}  // namespace foreign
