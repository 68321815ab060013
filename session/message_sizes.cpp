#include "session/message_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/bounds/bounds.hpp"
#include "emulator/base/error.hpp"
#include "session/choose.hpp"
#include "session/comparison.hpp"
#include "session/least_cut.hpp"

namespace kport {

namespace {

constexpr std::uint64_t packets_max = std::uint64_t{1} << 24;
/// Where only rehearsals tell the latency, the packets that they move: of a cut, and of all cuts of an algorithm.
constexpr std::uint64_t rehearsed_max = 1'000'000;
constexpr std::uint64_t all_rehearsed_max = 8'000'000;
constexpr std::uint64_t bytes_max = std::uint64_t{1} << 48;

/// The bytes that no cut divides: those of an element, where elements are folded.
std::uint64_t unit_of(const Experiment& e) {
    const Reduction& reduction = e.options.reduction;
    return e.collective.folds() && !reduction.type.is_text() ? reduction.type->bytes : 1;
}

/// The message of so many bytes; Requires M units in it.
class UncutMessage {
  public:
    UncutMessage(const Experiment& experiment, std::uint64_t bytes)
        : experiment_(experiment), units_(bytes / unit_of(experiment)), unit_(unit_of(experiment)) {
        if (bytes == 0) throw RequestError("a message of 0 bytes is not cut; want at least 1");
        if (bytes > bytes_max)
            throw RequestError(fmt::format("message {}: latencies of so many bytes are not told apart; want at most {}",
                                           bytes, bytes_max));
        if (bytes % unit_ == 0) return;
        throw RequestError(
            fmt::format("message {}: elements of type {} have {} bytes each; want a multiple of {}, "
                        "such as {}",
                        bytes, name(experiment.options.reduction.type), unit_, unit_, (units_ + 1) * unit_));
    }

    /// The largest M.
    [[nodiscard]] std::uint64_t units() const { return units_; }
    [[nodiscard]] std::uint64_t bytes_in(std::uint64_t packets) const {
        return (units_ / packets + (units_ % packets == 0 ? 0 : 1)) * unit_;
    }
    [[nodiscard]] Collective in(std::uint64_t packets) const { return in(packets, bytes_in(packets)); }
    [[nodiscard]] Collective in(std::uint64_t packets, std::uint64_t packet_bytes) const {
        Collective collective = experiment_.collective;
        collective.packets_each = packets;
        collective.packet_bytes = packet_bytes;
        return collective;
    }

  private:
    const Experiment& experiment_;
    std::uint64_t units_;
    std::uint64_t unit_;
};

/// What M may well be: a power of two, and the fewest packets of its size; times N, N - 1, the ports, or two of them (blocks for each
/// node, parts for each port); all units apart.
std::vector<std::uint64_t> coarse_cuts(const Experiment& e, const UncutMessage& message) {
    const std::uint64_t most = std::min(message.units(), packets_max);
    const std::uint64_t nodes = e.topology().nodes();
    const std::uint64_t ports = std::max<std::uint64_t>(e.machine.widest(), 1);
    std::set<std::uint64_t> cuts = {1};
    for (const std::uint64_t blocks : {std::uint64_t{1}, nodes - 1, nodes})
        for (const std::uint64_t parts : {std::uint64_t{1}, ports})
            for (std::uint64_t packets = blocks * parts; packets != 0 && packets <= most; packets *= 2)
                cuts.insert(packets);
    for (std::uint64_t packets = 1; packets <= most; packets *= 2)
        cuts.insert(fewest_packets(message.units(), packets));
    if (message.units() <= packets_max) cuts.insert(message.units());
    return {cuts.begin(), cuts.end()};
}

/// Looks at the coarse cuts, and between those of half and of twice the best at the better two thirds, again and again: a latency
/// falls with M and then grows, but for rounding, which may favour one of close neighbours (252 and 256). Where there are few sizes of
/// packets, at all of them.
void look_for_the_least(const std::vector<std::uint64_t>& coarse, std::uint64_t units,
                        const std::function<double(std::uint64_t packets)>& latency_at) {
    constexpr std::size_t few = 64;  // so near the least, rounding tells more than the curve
    std::vector<double> values;
    for (const std::uint64_t packets : coarse) values.push_back(latency_at(packets));
    const auto best = static_cast<std::size_t>(std::ranges::min_element(values) - values.begin());
    std::uint64_t low = coarse.front();
    std::uint64_t high = coarse.back();
    if (!cuts_between(units, low, high, few)) {
        const std::uint64_t packets = coarse[best];
        low = *std::prev(std::ranges::upper_bound(coarse, std::max<std::uint64_t>(packets / 2, 1)));
        const auto above = std::ranges::lower_bound(coarse, 2 * packets);
        high = above == coarse.end() ? coarse.back() : *above;
    }
    auto left = cuts_between(units, low, high, few);
    while (!left) {
        const std::uint64_t third = (high - low) / 3;
        if (latency_at(low + third) <= latency_at(high - third))
            high -= third;
        else
            low += third;
        left = cuts_between(units, low, high, few);
    }
    std::ranges::for_each(*left, latency_at);
}

/// One algorithm and one message.
class Cutting {
  public:
    Cutting(const Experiment& experiment, const Algorithm& algorithm, std::uint64_t bytes)
        : experiment_(experiment), algorithm_(algorithm), message_(experiment, bytes) {}

    /// Nothing where the algorithm runs at no cut that is looked at.
    [[nodiscard]] std::optional<CutCurve> curve() {
        const std::vector<std::uint64_t> coarse = coarse_cuts(experiment_, message_);
        const auto latency = [this](std::uint64_t packets) { return latency_at(packets); };
        if (std::ranges::all_of(coarse, [this](std::uint64_t packets) { return has_formula(packets); })) {
            std::ranges::for_each(coarse, latency);
            find_the_least();
        } else {
            look_for_the_least(coarse, message_.units(), latency);
        }
        if (cuts_.empty()) return std::nullopt;
        CutCurve curve;
        curve.ends_early = some_too_long_;
        for (const auto& [packets, cut] : cuts_) curve.cuts.push_back(cut);
        const auto latency_of = [](const CutMessage& c) { return c.predicted.latency; };
        const double least = latency_of(*std::ranges::min_element(curve.cuts, {}, latency_of));
        curve.best = *std::ranges::find_if(
            curve.cuts, [&](double l) { return l <= least * (1 + 1e-12); }, latency_of);
        return curve;
    }

    /// Nothing where they are not told exactly.
    [[nodiscard]] std::optional<std::uint64_t> rounds_in(std::uint64_t packets) {
        (void)latency_at(packets);
        const auto cut = cuts_.find(packets);
        if (cut == cuts_.end() || cut->second.predicted.grounds == Grounds::at_most) return std::nullopt;
        return cut->second.predicted.rounds;
    }
    [[nodiscard]] std::uint64_t most_packets() const { return std::min(message_.units(), packets_max); }

  private:
    /// Infinity where the algorithm does not run so.
    double latency_at(std::uint64_t packets) {
        if (const auto known = cuts_.find(packets); known != cuts_.end()) return known->second.predicted.latency;
        const Collective collective = message_.in(packets);
        const auto cost = misfit_of(algorithm_, experiment_.machine, collective, experiment_.options)
                              ? std::nullopt
                              : predicted(collective);
        if (!cost) return std::numeric_limits<double>::infinity();
        cuts_[packets] = {&algorithm_, packets, collective.packet_bytes, *cost};
        return cost->latency;
    }

    [[nodiscard]] bool runs_in(std::uint64_t packets) const {
        return !misfit_of(algorithm_, experiment_.machine, message_.in(packets), experiment_.options);
    }
    /// Whether a formula tells the latency, if the algorithm runs so.
    [[nodiscard]] bool has_formula(std::uint64_t packets) const {
        return algorithm_.plan_bytes == nullptr && (!runs_in(packets) || !may_be_rehearsed(message_.in(packets)));
    }

    /// Among all cuts, by formula: it grows with M, and with the bytes of a packet.
    void find_the_least() {
        constexpr int tries = 2000;
        const double volume = volume_of_all_apart();
        (void)least_over_cuts(
            message_.units(), std::min(message_.units(), packets_max),
            [&](std::uint64_t low, std::uint64_t high) {
                return low == high ? latency_at(low) : least_from(low, high, volume);
            },
            tries);
    }
    /// No cut from `low` to `high` packets costs less. Infinity where the algorithm runs in neither.
    [[nodiscard]] double least_from(std::uint64_t low, std::uint64_t high, double volume) const {
        if (!runs_in(low)) return runs_in(high) ? 0 : std::numeric_limits<double>::infinity();
        const Costs& costs = experiment_.machine.costs;
        const std::uint64_t bytes = message_.bytes_in(high);
        const ExpectedCost cost = formula(message_.in(low, bytes));
        const double least = derived_latency(cost, costs, bytes).value_or(0);
        const double moved = static_cast<double>(cost.volume.value_or(0)) * static_cast<double>(bytes);
        return !cost.latency && moved < volume ? least + (volume - moved) * costs.byte : least;
    }
    /// In bytes: no cut moves fewer, since packets of one unit fill rounds at least as well. 0 where this is not known.
    [[nodiscard]] double volume_of_all_apart() const {
        if (message_.units() > packets_max || !runs_in(message_.units())) return 0;
        const Collective apart = message_.in(message_.units());
        return static_cast<double>(formula(apart).volume.value_or(0)) * static_cast<double>(apart.packet_bytes);
    }
    [[nodiscard]] ExpectedCost formula(const Collective& collective) const {
        return expected_cost(algorithm_, experiment_.machine, collective, experiment_.options);
    }

    /// As predicted_cost(), but for rehearsals of too many packets. Plans are as large as a choice makes them, all together.
    [[nodiscard]] std::optional<PredictedCost> predicted(const Collective& collective) {
        const Machine& machine = experiment_.machine;
        if (collective.packets_each > 1 && may_be_rehearsed(collective)) {
            const std::uint64_t moved = collective.packets_each * machine.topology->nodes();
            if (moved > std::min(rehearsed_max, rehearsals_left_)) {
                some_too_long_ = true;
                return std::nullopt;
            }
            rehearsals_left_ -= moved;
        }
        const Effort effort{std::max(effort_at_once.plan_bytes, large_plans_left_), effort_if_better.hops};
        const auto cost = predicted_cost(algorithm_, machine, collective, experiment_.options, effort);
        const double plan = plan_bytes_of(algorithm_, machine, collective);
        if (cost && cost->grounds == Grounds::rehearsed && plan > effort_at_once.plan_bytes) large_plans_left_ -= plan;
        return cost;
    }
    [[nodiscard]] bool may_be_rehearsed(const Collective& collective) const {
        // Both halves are those of the best broadcast, which may be rehearsed before it is known which that is.
        const bool is_of_the_best =
            algorithm_.way == Way::reduce_broadcast && find_algorithm(algorithm_.forward, algorithm_.name) == nullptr;
        return is_of_the_best ||
               !derived_latency(formula(collective), experiment_.machine.costs, collective.packet_bytes);
    }

    const Experiment& experiment_;
    const Algorithm& algorithm_;
    UncutMessage message_;
    std::uint64_t rehearsals_left_ = all_rehearsed_max;  ///< in packets
    bool some_too_long_ = false;
    double large_plans_left_ = effort_if_better.plan_bytes;  ///< in bytes
    std::map<std::uint64_t, CutMessage> cuts_;               ///< by M
};

double bound_at(const Experiment& e, const Collective& collective) {
    return lower_bounds(e.machine, collective)[Quantity::latency].value().value_or(0);
}

/// The least of any cut into single packets. A bound grows with M and with the bytes of a packet: from `low` to `high` packets no
/// cut is below `low` packets as small as `high` are.
double least_of_single_packets(const Experiment& e, const UncutMessage& message) {
    constexpr int tries = 500;
    return least_over_cuts(
        message.units(), message.units(),
        [&](std::uint64_t low, std::uint64_t high) { return bound_at(e, message.in(low, message.bytes_in(high))); },
        tries);
}

/// The least of any cut. Where messages are bundles, a schedule of any cut is one of all units apart (model.md section 13); where
/// only bytes have a price, so is its volume without bundles (13.1).
std::optional<double> bound_of(const Experiment& e, const UncutMessage& message) {
    const bool is_price_of_bytes = e.machine.costs.startup == 0 && e.machine.costs.hop == 0;
    const double least = e.machine.combining || is_price_of_bytes ? bound_at(e, message.in(message.units()))
                                                                  : least_of_single_packets(e, message);
    return least > 0 ? std::optional(least) : std::nullopt;
}

/// Of any cut.
std::vector<const Algorithm*> applicable_somehow(const Experiment& e, const UncutMessage& message) {
    const bool some = any_named(e);
    std::vector<const Algorithm*> rows;
    for (const std::uint64_t packets : coarse_cuts(e, message))
        for (const Algorithm* row : applicable(e.machine, message.in(packets), e.options)) {
            const bool wanted = some ? is_named(e, *row) : row->by_default;
            if (wanted && std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
        }
    return rows;
}

/// Where no curve is known.
std::string no_curve_text(const Experiment& e, const std::vector<const Algorithm*>& rows) {
    if (rows.empty()) return no_algorithm_text(e);
    std::vector<std::string_view> names;
    for (const Algorithm* row : rows) names.push_back(row->name);
    return fmt::format(
        "no latency of {} is predicted on {} ({}): {} would run, but the machine is too large for a rehearsal",
        name(e.collective.operation), e.topology().spec(), rules_in_words(e.machine), fmt::join(names, ", "));
}

/// Which algorithm is the cheapest from which size on, of sizes that are added in ascending order with their cheapest.
class Changes {
  public:
    explicit Changes(const Experiment& experiment) : experiment_(experiment), unit_(unit_of(experiment)) {}

    void add(std::uint64_t bytes, const Algorithm* cheapest) {
        if (changes_.empty())
            changes_.push_back({bytes, cheapest});
        else
            add_between({last_, changes_.back().algorithm}, {bytes / unit_, cheapest});
        last_ = bytes / unit_;
    }
    [[nodiscard]] std::vector<Change> all() && { return std::move(changes_); }

  private:
    struct Cheapest {
        std::uint64_t units;
        const Algorithm* algorithm;
    };

    /// As if the two crossed once; a third may be cheaper than both where they do.
    void add_between(const Cheapest& before, const Cheapest& now) {
        if (before.algorithm == now.algorithm) return;
        const std::uint64_t units = crossing(before, now);
        const Cheapest there = {units, units == now.units
                                           ? now.algorithm
                                           : curves_over_cuts(experiment_, units * unit_).front().best.algorithm};
        if (there.algorithm == now.algorithm) {
            changes_.push_back({units * unit_, now.algorithm});
        } else {
            add_between(before, there);
            add_between(there, now);
        }
    }
    /// The first size at which the later one costs less.
    [[nodiscard]] std::uint64_t crossing(const Cheapest& before, const Cheapest& now) const {
        std::uint64_t low = before.units;
        std::uint64_t high = now.units;
        while (high - low > 1) {
            const std::uint64_t middle = low + (high - low) / 2;
            (cost(now.algorithm, middle) < cost(before.algorithm, middle) ? high : low) = middle;
        }
        return high;
    }
    [[nodiscard]] double cost(const Algorithm* algorithm, std::uint64_t units) const {
        const auto curve = Cutting(experiment_, *algorithm, units * unit_).curve();
        return curve ? curve->best.predicted.latency : std::numeric_limits<double>::infinity();
    }

    const Experiment& experiment_;
    std::uint64_t unit_;
    std::uint64_t last_ = 0;  ///< the size that was added, in units
    std::vector<Change> changes_;
};

}  // namespace

std::vector<CutCurve> curves_over_cuts(const Experiment& experiment, std::uint64_t bytes,
                                       const std::function<void(const Algorithm& algorithm)>& tell) {
    require_valid(experiment);
    require_algorithms(experiment.collective.operation);
    if (experiment.collective.signals())
        throw RequestError(fmt::format("the signals of a {} have no bytes: there is no message to cut",
                                       name(experiment.collective.operation)));
    const UncutMessage message(experiment, bytes);
    const std::vector<const Algorithm*> rows = applicable_somehow(experiment, message);
    std::vector<CutCurve> curves;
    for (const Algorithm* row : rows) {
        if (tell) tell(*row);
        if (auto curve = Cutting(experiment, *row, bytes).curve()) curves.push_back(*std::move(curve));
    }
    if (curves.empty() && !experiment.algorithm.empty()) {
        const Collective finest = message.in(std::min(message.units(), packets_max));
        (void)algorithm_named(experiment.algorithm, experiment.machine, finest,
                              experiment.options);  // says why it does not run, however much the message is cut
    }
    if (curves.empty()) throw RequestError(no_curve_text(experiment, rows));
    std::ranges::stable_sort(curves, {}, [](const CutCurve& curve) { return curve.best.predicted.latency; });
    return curves;
}

std::optional<SteadyRounds> rounds_of_single_packets(const Experiment& experiment, std::uint64_t bytes,
                                                     const CutCurve& curve) {
    const Costs& costs = experiment.machine.costs;
    const double round = costs.startup + costs.hop;
    if (round == 0 || costs.byte == 0) return std::nullopt;
    const auto is_of_single_packets = [&](const CutMessage& cut) {
        const double packet = round + costs.byte * static_cast<double>(cut.packet_bytes);
        const double latency = static_cast<double>(cut.predicted.rounds) * packet;
        return std::abs(cut.predicted.latency - latency) <= 1e-9 * latency;
    };
    if (!std::ranges::all_of(curve.cuts, is_of_single_packets)) return std::nullopt;
    Cutting cutting(experiment, *curve.best.algorithm, bytes);
    const auto rounds =
        steady_rounds([&](std::uint64_t packets) { return cutting.rounds_in(packets); }, cutting.most_packets());
    const auto is_so = [&](const CutMessage& cut) {
        return cut.predicted.grounds != Grounds::at_most &&
               rounds->at(cut.packets) == static_cast<std::int64_t>(cut.predicted.rounds);
    };
    return rounds && std::ranges::all_of(curve.cuts, is_so) ? rounds : std::nullopt;
}

std::optional<CutMessage> cheaper_without_bundles(const Experiment& experiment, std::uint64_t bytes,
                                                  const CutMessage& best) {
    if (!experiment.machine.combining) return std::nullopt;
    Experiment e = experiment;
    e.machine.combining = false;
    try {
        const CutMessage cut = curves_over_cuts(e, bytes).front().best;
        return cut.predicted.latency < best.predicted.latency ? std::optional(cut) : std::nullopt;
    } catch (const RequestError&) {
        return std::nullopt;  // nothing runs so
    }
}

std::optional<std::string> why_uncut(const Experiment& experiment, std::uint64_t bytes, const CutMessage& best) {
    const UncutMessage message(experiment, bytes);
    std::optional<std::string> why;
    if (best.packets > 1) return why;
    for (const std::uint64_t packets : coarse_cuts(experiment, message)) {
        if (packets == 1) continue;
        const auto misfit = misfit_of(*best.algorithm, experiment.machine, message.in(packets), experiment.options);
        if (!misfit) return std::nullopt;
        if (!why) why = misfit;
    }
    return why;
}

Experiment experiment_of_cut(const Experiment& experiment, const CutMessage& cut) {
    Experiment e = experiment;
    e.algorithm = cut.algorithm->name;
    e.collective.packets_each = cut.packets;
    e.collective.packet_bytes = cut.packet_bytes;
    return e;
}

std::optional<double> bound_of_cut(const Experiment& experiment, std::uint64_t bytes, std::uint64_t packets) {
    const UncutMessage message(experiment, bytes);
    return lower_bounds(experiment.machine, message.in(packets))[Quantity::latency].value();
}

std::vector<Change> changes_of(const Experiment& experiment, std::vector<MessageSize> sizes) {
    std::ranges::sort(sizes, {}, &MessageSize::bytes);
    Changes changes(experiment);
    for (const MessageSize& size : sizes) changes.add(size.bytes, size.cuts.front().algorithm);
    return std::move(changes).all();
}

std::vector<MessageSize> compare_sizes(
    const Experiment& experiment, std::span<const std::uint64_t> sizes,
    const std::function<void(std::uint64_t bytes, const Algorithm& algorithm)>& tell) {
    std::vector<MessageSize> compared;
    for (const std::uint64_t bytes : sizes) {
        const auto told = [&](const Algorithm& algorithm) {
            if (tell) tell(bytes, algorithm);
        };
        MessageSize& size = compared.emplace_back();
        size.bytes = bytes;
        for (const CutCurve& curve : curves_over_cuts(experiment, bytes, told)) size.cuts.push_back(curve.best);
        size.bound = bound_of(experiment, UncutMessage(experiment, bytes));
    }
    return compared;
}

}  // namespace kport
