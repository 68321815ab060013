#include "app/search/least_cost.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "emulator/report/words.hpp"

namespace kport::search {

namespace {

constexpr std::uint64_t settled_packets_max = 16;

/// The least cost of a quantity lies between two values.
struct Range {
    double least = 0;
    double most = 0;
};

bool is_open(const Bound& bound) { return bound.largest() && bound.reachable == Reachable::unknown; }

bool can_be_settled(const Machine& machine, const Collective& collective) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t packets = collective.is_own() ? collective.packets(nodes) : nodes * collective.packets_each;
    return collective.own_folds() == nullptr && nodes <= settled_nodes_max && packets <= settled_packets_max &&
           machine.switching == Switching::store_and_forward && !has_switches(*machine.topology) &&
           machine.node_ports == nullptr && collective.counts == nullptr && collective.members == nullptr &&
           !collective.unfolded && !(collective.in_runs && is_reversed(collective.operation)) &&
           collective.rules.all_law() && collective.operation.promises() && !packet_without_way({machine, collective});
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
    Searches(const Machine& machine, const Collective& collective, const Bounds& bounds)
        : question_{machine, collective},
          least_(is_open(bounds[Quantity::latency]) && question_.bundles() ? Least::front : Least::rounds),
          rounds_(bounds[Quantity::rounds].largest().value_or(1)), work_(bounds[Quantity::work].largest().value_or(1)) {
        if (collective.in_runs) question_.reading = Reading::runs;
    }

    [[nodiscard]] std::optional<Range> of(Quantity quantity) {
        switch (quantity) {
            case Quantity::rounds:
            case Quantity::path_sum: return range_of(cost().rounds);  // each round has a message, each message one hop
            case Quantity::work: return work();
            case Quantity::volume: return volume();
            case Quantity::latency: return latency();
        }
        return std::nullopt;
    }

  private:
    [[nodiscard]] const LeastCost& cost() {
        if (cost_) return *cost_;
        SearchOptions options = short_search(question_, rounds_);
        if (const double packet = price(0, 1); packet > 0) options.round_price = price(1, 0) / packet;
        cost_ = least_cost(question_, least_, options);
        return *cost_;
    }
    [[nodiscard]] static std::optional<Range> range_of(const Found& found) {
        if (found.most == rounds_unknown) return std::nullopt;
        return Range{static_cast<double>(found.least), static_cast<double>(found.most)};
    }
    [[nodiscard]] std::optional<Range> work() const {
        const LeastCost cost = least_cost(question_, Least::work_of_all, short_search(question_, work_));
        if (!cost.work_of_all) return std::nullopt;
        return Range{static_cast<double>(cost.work_of_all->least), static_cast<double>(cost.work_of_all->most)};
    }
    /// In packets: the least rounds without combining.
    [[nodiscard]] std::optional<Range> packets() {
        if (!question_.bundles()) return range_of(cost().rounds);
        if (const std::optional<Interval>& known = cost().volume_of_all; known && known->most != rounds_unknown)
            return Range{static_cast<double>(known->least), static_cast<double>(known->most)};
        if (!single_) {
            Question single = question_;
            single.machine.combining = false;
            single_ = least_cost(single, Least::rounds, short_search(single, rounds_));
        }
        return range_of(single_->rounds);
    }
    [[nodiscard]] std::optional<Range> volume() {
        std::optional<Range> range = packets();
        if (range) *range = {bytes_of(range->least), bytes_of(range->most)};
        return range;
    }
    /// The least over the front (a front answers every price); beyond its last line, where it is not complete, there may be less.
    [[nodiscard]] std::optional<Range> latency() {
        if (question_.machine.prices != nullptr) return std::nullopt;  // a search counts no prices of links
        const std::optional<Range> rounds = range_of(cost().rounds);
        if (!rounds) return std::nullopt;
        if (question_.collective.signals()) return Range{price(rounds->least, 0), price(rounds->most, 0)};
        const std::optional<Range> least = packets();
        if (!question_.bundles()) return Range{price(rounds->least, rounds->least), price(rounds->most, rounds->most)};
        if (!least || cost().front.empty()) return std::nullopt;
        constexpr double none = std::numeric_limits<double>::infinity();
        Range range{none, none};
        for (const FrontLine& line : cost().front) {
            range.least = std::min(range.least, price(line.rounds, static_cast<double>(line.volume.least)));
            range.most = std::min(range.most, price(line.rounds, static_cast<double>(line.volume.most)));
        }
        if (!cost().front_complete) range.least = std::min(range.least, price(cost().front_rounds + 1.0, least->least));
        return range;
    }
    [[nodiscard]] double price(double rounds, double packets) const {
        const Costs& costs = question_.machine.costs;
        return rounds * (costs.startup + costs.hop) + bytes_of(packets) * costs.byte;
    }
    [[nodiscard]] double bytes_of(double packets) const {
        return packets * static_cast<double>(question_.collective.packet_bytes);
    }

    Question question_;
    Least least_;
    double rounds_;  ///< the bounds
    double work_;
    std::optional<LeastCost> cost_;
    std::optional<LeastCost> single_;  ///< without combining
};

}  // namespace

Bounds settled(const Machine& machine, const Collective& collective, Bounds bounds) {
    if (!can_be_settled(machine, collective) || std::ranges::none_of(bounds, is_open)) return bounds;
    Searches searches(machine, fitted(collective, *machine.topology), bounds);
    for (const Quantity quantity :
         {Quantity::rounds, Quantity::work, Quantity::path_sum, Quantity::volume, Quantity::latency})
        if (Bound& bound = bounds[quantity]; is_open(bound))
            if (const auto range = searches.of(quantity)) settle(bound, *range);
    return bounds;
}

}  // namespace kport::search
