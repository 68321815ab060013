#include "session/message_sizes.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "algorithms/reach.hpp"
#include "emulator/base/error.hpp"
#include "session/choose.hpp"
#include "session/comparison.hpp"

namespace kport {

namespace {

constexpr std::uint64_t packets_max = std::uint64_t{1} << 24;
/// Where only a rehearsal tells the latency.
constexpr std::uint64_t rehearsed_messages_max = 1'000'000;

/// The message of `bytes` cut into M packets.
Collective cut(Collective collective, std::uint64_t bytes, std::uint64_t packets) {
    collective.packets_each = packets;
    collective.packet_bytes = (bytes + packets - 1) / packets;
    return collective;
}

std::uint64_t most_packets(const Collective& collective, std::uint64_t bytes) {
    constexpr std::uint64_t element = 8;
    return std::clamp<std::uint64_t>(bytes / (collective.folds() ? element : 1), 1, packets_max);
}

/// 1, 2, 4, ... and N, 2 N, 4 N, ...: what halves and what cuts into a block a node.
std::vector<std::uint64_t> coarse_cuts(NodeId nodes, std::uint64_t most) {
    std::set<std::uint64_t> cuts;
    for (const std::uint64_t first : {std::uint64_t{1}, std::uint64_t{nodes}})
        for (std::uint64_t packets = first; packets <= most; packets *= 2) cuts.insert(packets);
    return {cuts.begin(), cuts.end()};
}

/// The least value over M. It falls and then grows, but for rounding: the best of the coarse cuts, and between its neighbours the
/// better two thirds, again and again.
double least_over_cuts(NodeId nodes, std::uint64_t most, const std::function<double(std::uint64_t packets)>& value) {
    const std::vector<std::uint64_t> coarse = coarse_cuts(nodes, most);
    std::vector<double> values;
    for (const std::uint64_t packets : coarse) values.push_back(value(packets));
    const auto best = static_cast<std::size_t>(std::ranges::min_element(values) - values.begin());
    std::uint64_t low = coarse[best == 0 ? 0 : best - 1];
    std::uint64_t high = coarse[std::min(best + 1, coarse.size() - 1)];
    while (high - low > 3) {
        const std::uint64_t third = (high - low) / 3;
        if (value(low + third) <= value(high - third))
            high -= third;
        else
            low += third;
    }
    double least = values[best];
    for (std::uint64_t packets = low; packets <= high; ++packets) least = std::min(least, value(packets));
    return least;
}

/// One algorithm and one message.
class Cutting {
  public:
    Cutting(const Experiment& experiment, const Algorithm& algorithm, std::uint64_t bytes)
        : experiment_(experiment), algorithm_(algorithm), bytes_(bytes) {}

    /// Nothing where the algorithm runs at no cut.
    [[nodiscard]] std::optional<CutCurve> curve() {
        (void)least_over_cuts(experiment_.topology().nodes(), most_packets(experiment_.collective, bytes_),
                              [this](std::uint64_t packets) { return latency_at(packets); });
        if (cuts_.empty()) return std::nullopt;
        CutCurve curve;
        for (const auto& [packets, cut] : cuts_) curve.cuts.push_back(cut);
        curve.best = *std::ranges::min_element(curve.cuts, {}, [](const CutMessage& c) { return c.predicted.latency; });
        return curve;
    }

  private:
    /// Infinity where the algorithm does not run so.
    double latency_at(std::uint64_t packets) {
        const Collective collective = cut(experiment_.collective, bytes_, packets);
        const auto cost = misfit_of(algorithm_, experiment_.machine, collective, experiment_.options)
                              ? std::nullopt
                              : predicted(collective);
        if (!cost) return std::numeric_limits<double>::infinity();
        cuts_[packets] = {&algorithm_, packets, collective.packet_bytes, *cost};
        return cost->latency;
    }

    /// As predicted_cost(), but for rehearsals of too many messages.
    [[nodiscard]] std::optional<PredictedCost> predicted(const Collective& collective) const {
        const Machine& machine = experiment_.machine;
        const ExpectedCost cost = expected_cost(algorithm_, machine, collective, experiment_.options);
        const bool is_derived = derived_latency(cost, machine.costs, collective.packet_bytes).has_value();
        const std::uint64_t messages = cost.work.value_or(collective.packets_each * machine.topology->nodes());
        if (!is_derived && collective.packets_each > 1 && messages > rehearsed_messages_max) return std::nullopt;
        return predicted_cost(algorithm_, machine, collective, experiment_.options);
    }

    const Experiment& experiment_;
    const Algorithm& algorithm_;
    std::uint64_t bytes_;
    std::map<std::uint64_t, CutMessage> cuts_;  ///< by M
};

/// The least of any cut, those of the algorithms among them.
std::optional<double> bound_of(const Experiment& experiment, const MessageSize& size) {
    const auto bound_at = [&](std::uint64_t packets) {
        return bound_of_cut(experiment, size.bytes, packets).value_or(0);
    };
    double least =
        least_over_cuts(experiment.topology().nodes(), most_packets(experiment.collective, size.bytes), bound_at);
    for (const CutMessage& cut : size.cuts) least = std::min(least, bound_at(cut.packets));
    return least > 0 ? std::optional(least) : std::nullopt;
}

/// Of any cut.
std::vector<const Algorithm*> applicable_somehow(const Experiment& e, std::uint64_t bytes) {
    std::vector<const Algorithm*> rows;
    for (const std::uint64_t packets : coarse_cuts(e.topology().nodes(), most_packets(e.collective, bytes)))
        for (const Algorithm* row : applicable(e.machine, cut(e.collective, bytes, packets), e.options)) {
            const bool wanted = e.algorithm.empty() ? row->by_default : e.algorithm == row->name;
            if (wanted && std::ranges::find(rows, row) == rows.end()) rows.push_back(row);
        }
    return rows;
}

}  // namespace

std::vector<CutCurve> curves_over_cuts(const Experiment& experiment, std::uint64_t bytes,
                                       const std::function<void(const Algorithm& algorithm)>& tell) {
    require_valid(experiment);
    require_algorithms(experiment.collective.operation);
    if (bytes == 0) throw RequestError("a message of 0 bytes is not cut; want at least 1");
    if (experiment.collective.signals())
        throw RequestError(fmt::format("the signals of a {} have no bytes: there is no message to cut",
                                       name(experiment.collective.operation)));
    std::vector<CutCurve> curves;
    for (const Algorithm* row : applicable_somehow(experiment, bytes)) {
        if (tell) tell(*row);
        if (auto curve = Cutting(experiment, *row, bytes).curve()) curves.push_back(*std::move(curve));
    }
    if (curves.empty() && !experiment.algorithm.empty()) {
        const std::uint64_t most = most_packets(experiment.collective, bytes);
        (void)algorithm_named(experiment.algorithm, experiment.machine, cut(experiment.collective, bytes, most),
                              experiment.options);  // says why it does not run, however much the message is cut
    }
    if (curves.empty()) throw RequestError(no_algorithm_text(experiment));
    std::ranges::stable_sort(curves, {}, [](const CutCurve& curve) { return curve.best.predicted.latency; });
    return curves;
}

Experiment experiment_of_cut(const Experiment& experiment, const CutMessage& cut) {
    Experiment e = experiment;
    e.algorithm = cut.algorithm->name;
    e.collective.packets_each = cut.packets;
    e.collective.packet_bytes = cut.packet_bytes;
    return e;
}

std::optional<double> bound_of_cut(const Experiment& experiment, std::uint64_t bytes, std::uint64_t packets) {
    return reached_bounds(experiment.machine, cut(experiment.collective, bytes, packets))[Quantity::latency].value();
}

std::vector<Change> changes_of(const Experiment& experiment, std::vector<MessageSize> sizes) {
    std::ranges::sort(sizes, {}, &MessageSize::bytes);
    const auto cost = [&](const Algorithm* algorithm, std::uint64_t bytes) {
        const auto curve = Cutting(experiment, *algorithm, bytes).curve();
        return curve ? curve->best.predicted.latency : std::numeric_limits<double>::infinity();
    };
    std::vector<Change> changes;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const Algorithm* now = sizes[i].cuts.front().algorithm;
        if (changes.empty()) changes.push_back({sizes[i].bytes, now});
        const Algorithm* before = changes.back().algorithm;
        if (now == before) continue;
        std::uint64_t low = sizes[i - 1].bytes;
        std::uint64_t high = sizes[i].bytes;
        while (high - low > 1) {
            const std::uint64_t middle = low + (high - low) / 2;
            (cost(now, middle) < cost(before, middle) ? high : low) = middle;
        }
        changes.push_back({high, now});
    }
    return changes;
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
        size.bound = bound_of(experiment, size);
    }
    return compared;
}

}  // namespace kport
