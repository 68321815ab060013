#include "app/search/settled.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/search/least_cost.hpp"
#include "emulator/report/words.hpp"

namespace kport::search {

namespace {

constexpr std::uint64_t settled_packets_max = 16;
constexpr std::uint64_t settling_conflicts = 4'000;
constexpr std::uint64_t settling_conflicts_for_less = 1'000;

/// The least cost of a quantity lies between two values.
struct Range {
    double least = 0;
    double most = 0;
};

bool is_open(const Bound& bound) { return bound.largest() && bound.reachable == Reachable::unknown; }

bool can_be_settled(const Machine& machine, const Collective& collective) {
    const NodeId nodes = machine.topology->nodes();
    return nodes <= settled_nodes_max && nodes * collective.packets_each <= settled_packets_max &&
           machine.switching == Switching::store_and_forward && machine.topology->fabric() == nullptr &&
           machine.node_ports == nullptr && collective.counts == nullptr && collective.rules.all_law() &&
           !collective.is_own() && collective.operation.promises();
}

void settle(Bound& bound, const Range& range) {
    constexpr double rounding = 1e-9;
    const double value = *bound.largest();
    const auto exceeds = [&](double a, double b) { return a > b * (1 + rounding); };
    if (!exceeds(range.most, value)) {
        bound = {bound.arguments, Reachable::yes, "a schedule that search finds meets it", "search"};
        return;
    }
    bound.best_known = std::min(range.most, bound.best_known.value_or(range.most));
    if (!exceeds(range.least, value)) {
        bound.reachable_why =
            fmt::format("the best schedule that a short search finds takes {}", grouped(*bound.best_known));
        return;
    }
    bound.reachable = Reachable::no;
    bound.least = range.least;
    bound.reachable_why = exceeds(*bound.best_known, range.least)
                              ? fmt::format("search refutes less, and finds {}", grouped(*bound.best_known))
                              : "search finds such a schedule, and none takes less";
}

/// Answers questions of one operation when they are first asked.
class Searches {
  public:
    Searches(const Machine& machine, const Collective& collective) : question_{machine, collective} {
        if (collective.in_runs) question_.reading = Reading::runs;
        options_.conflicts = settling_conflicts;
        options_.conflicts_for_less = settling_conflicts_for_less;
    }

    [[nodiscard]] std::optional<Range> of(Quantity quantity) {
        switch (quantity) {
            case Quantity::rounds:
            case Quantity::path_sum: return rounds();  // each round has a message, each message one hop
            case Quantity::work: return work();
            case Quantity::volume: return volume();
            case Quantity::latency: return latency();
        }
        return std::nullopt;
    }

  private:
    [[nodiscard]] const LeastCost& front() {
        if (!front_) front_ = least_cost(question_, Least::front, options_);
        return *front_;
    }
    [[nodiscard]] std::optional<Range> rounds() {
        const Found& found = front().rounds;
        if (found.most == rounds_unknown) return std::nullopt;
        return Range{static_cast<double>(found.least), static_cast<double>(found.most)};
    }
    [[nodiscard]] std::optional<Range> work() {
        const LeastCost cost = least_cost(question_, Least::work_of_all, options_);
        if (!cost.work_of_all) return std::nullopt;
        return Range{static_cast<double>(cost.work_of_all->least), static_cast<double>(cost.work_of_all->most)};
    }
    /// The least of a price over the front (a front answers every price).
    [[nodiscard]] std::optional<Range> least_of(const std::function<double(Round, std::uint64_t)>& price) {
        if (question_.collective.signals()) {
            const Found& found = front().rounds;
            if (found.most == rounds_unknown) return std::nullopt;
            return Range{price(found.least, 0), price(found.most, 0)};
        }
        if (!rounds() || front().front.empty() || !front().rounds.exact() || !front().front_complete)
            return std::nullopt;
        std::optional<Range> best;
        for (const FrontLine& line : front().front) {
            const Range here{price(line.rounds, line.volume.least), price(line.rounds, line.volume.most)};
            best = best ? Range{std::min(best->least, here.least), std::min(best->most, here.most)} : here;
        }
        return best;
    }
    [[nodiscard]] std::optional<Range> volume() {
        return least_of([&](Round, std::uint64_t packets) { return bytes_of(packets); });
    }
    [[nodiscard]] std::optional<Range> latency() {
        if (question_.machine.prices != nullptr) return std::nullopt;  // a search counts no prices of links
        const Costs& costs = question_.machine.costs;
        return least_of([&](Round rounds, std::uint64_t packets) {
            return rounds * (costs.startup + costs.hop) + bytes_of(packets) * costs.byte;
        });
    }
    [[nodiscard]] double bytes_of(std::uint64_t packets) const {
        return static_cast<double>(packets * question_.collective.packet_bytes);
    }

    Question question_;
    SearchOptions options_;
    std::optional<LeastCost> front_;
};

}  // namespace

Bounds settled(const Machine& machine, const Collective& collective, Bounds bounds) {
    if (!can_be_settled(machine, collective) || std::ranges::none_of(bounds, is_open)) return bounds;
    Searches searches(machine, fitted(collective, *machine.topology));
    for (const Quantity quantity :
         {Quantity::rounds, Quantity::work, Quantity::path_sum, Quantity::volume, Quantity::latency})
        if (Bound& bound = bounds[quantity]; is_open(bound))
            if (const auto range = searches.of(quantity)) settle(bound, *range);
    return bounds;
}

}  // namespace kport::search
