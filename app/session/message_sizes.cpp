#include "app/session/message_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/bounds/bounds.hpp"
#include "app/session/choose.hpp"
#include "app/session/comparison.hpp"
#include "app/session/cutting.hpp"
#include "emulator/base/error.hpp"

namespace kport {

namespace {

double bound_at(const Experiment& e, const Collective& collective) {
    return lower_bounds(e.machine, collective)[Quantity::latency].largest().value_or(0);
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

/// For any cut.
std::vector<const Algorithm*> applicable_somehow(const Experiment& e, const UncutMessage& message) {
    const bool some = any_named(e);
    std::vector<const Algorithm*> rows;
    for (const std::uint64_t packets : coarse_cuts(e, message))
        for (const Algorithm* row : applicable(e.machine, message.in(packets), e.options)) {
            const bool wanted = is_named(e, *row) || (!some && row->is_first_choice());
            if (wanted && std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
        }
    return rows;
}

/// Why no algorithm runs however the message is cut, in the words of a run of the coarsest cut.
std::string why_none_runs(Experiment e, const UncutMessage& message) {
    e.collective = message.in(coarse_cuts(e, message).front());
    try {
        if (e.algorithms.empty()) require_runnable(e);
    } catch (const RequestError& why) {
        return why.what();
    }
    return no_algorithm_text(e);
}

/// Where no curve is known.
std::string no_curve_text(const Experiment& e, const std::vector<const Algorithm*>& rows) {
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
        const Collective finest = message.in(message.most_packets());
        (void)algorithm_named(experiment.algorithm, experiment.machine, finest,
                              experiment.options);  // says why it does not run, however much the message is cut
    }
    if (curves.empty())
        throw RequestError(rows.empty() ? why_none_runs(experiment, message) : no_curve_text(experiment, rows));
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
    return lower_bounds(experiment.machine, message.in(packets))[Quantity::latency].largest();
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
