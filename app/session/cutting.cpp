#include "app/session/cutting.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {

namespace {

constexpr std::uint64_t packets_max = std::uint64_t{1} << 24;
constexpr std::uint64_t rehearsed_max = 1'000'000;  // as Cutting::all_rehearsed_max, of one cut
constexpr std::uint64_t bytes_max = std::uint64_t{1} << 48;

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

}  // namespace

std::uint64_t unit_of(const Experiment& e) {
    const Reduction& reduction = e.options.reduction;
    return e.collective.folds() && !reduction.type.is_text() ? reduction.type->bytes : 1;
}

UncutMessage::UncutMessage(const Experiment& experiment, std::uint64_t bytes)
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

std::uint64_t UncutMessage::most_packets() const { return std::min(units_, packets_max); }

std::vector<std::uint64_t> coarse_cuts(const Experiment& e, const UncutMessage& message) {
    const std::uint64_t most = message.most_packets();
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

std::optional<CutCurve> Cutting::curve() {
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

std::optional<std::uint64_t> Cutting::rounds_in(std::uint64_t packets) {
    (void)latency_at(packets);
    const auto cut = cuts_.find(packets);
    if (cut == cuts_.end() || cut->second.predicted.grounds == Grounds::at_most) return std::nullopt;
    return cut->second.predicted.rounds;
}

double Cutting::latency_at(std::uint64_t packets) {
    if (const auto known = cuts_.find(packets); known != cuts_.end()) return known->second.predicted.latency;
    const Collective collective = message_.in(packets);
    const auto cost = misfit_of(algorithm_, experiment_.machine, collective, experiment_.options)
                          ? std::nullopt
                          : predicted(collective);
    if (!cost) return std::numeric_limits<double>::infinity();
    cuts_[packets] = {&algorithm_, packets, collective.packet_bytes, *cost};
    return cost->latency;
}

bool Cutting::runs_in(std::uint64_t packets) const {
    return !misfit_of(algorithm_, experiment_.machine, message_.in(packets), experiment_.options);
}
bool Cutting::has_formula(std::uint64_t packets) const {
    return algorithm_.plan == nullptr && (!runs_in(packets) || !may_be_rehearsed(message_.in(packets)));
}

void Cutting::find_the_least() {
    constexpr int tries = 2000;
    const double volume = volume_of_all_apart();
    (void)least_over_cuts(
        message_.units(), message_.most_packets(),
        [&](std::uint64_t low, std::uint64_t high) {
            return low == high ? latency_at(low) : least_from(low, high, volume);
        },
        tries);
}
double Cutting::least_from(std::uint64_t low, std::uint64_t high, double volume) const {
    if (!runs_in(low)) return runs_in(high) ? 0 : std::numeric_limits<double>::infinity();
    const Costs& costs = experiment_.machine.costs;
    const std::uint64_t bytes = message_.bytes_in(high);
    const ExpectedCost cost = formula(message_.in(low, bytes));
    const double least = derived_latency(cost, experiment_.machine, bytes).value_or(0);
    const double moved = static_cast<double>(cost.volume.value_or(0)) * static_cast<double>(bytes);
    return !cost.latency && moved < volume ? least + (volume - moved) * costs.byte : least;
}
double Cutting::volume_of_all_apart() const {
    if (message_.units() > packets_max || !runs_in(message_.units())) return 0;
    const Collective apart = message_.in(message_.units());
    return static_cast<double>(formula(apart).volume.value_or(0)) * static_cast<double>(apart.packet_bytes);
}
ExpectedCost Cutting::formula(const Collective& collective) const {
    return expected_cost(algorithm_, experiment_.machine, collective, experiment_.options);
}

std::optional<PredictedCost> Cutting::predicted(const Collective& collective) {
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
    const double plan = plan_bytes_of(algorithm_, with_fewer_ports(machine, experiment_.options), collective);
    if (cost && cost->grounds == Grounds::rehearsed && plan > effort_at_once.plan_bytes) large_plans_left_ -= plan;
    return cost;
}
bool Cutting::may_be_rehearsed(const Collective& collective) const {
    // Both halves are those of the best broadcast, which may be rehearsed before it is known which that is.
    const bool is_of_the_best =
        algorithm_.way == Way::reduce_broadcast && find_algorithm(algorithm_.forward, algorithm_.name) == nullptr;
    return is_of_the_best || !derived_latency(formula(collective), experiment_.machine, collective.packet_bytes);
}

}  // namespace kport
