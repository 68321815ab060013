#include "app/session/message_sizes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kport {

namespace {

using RoundsAt = std::function<std::optional<std::uint64_t>(std::uint64_t packets)>;

/// The last M from `from` on with the rounds of `from`, if they never fall with M; nothing where more are not seen up to `most`.
std::optional<std::uint64_t> last_of_step(const RoundsAt& rounds_at, std::uint64_t from, std::uint64_t most) {
    const auto rounds = rounds_at(from);
    const auto is_same = [&](std::uint64_t packets) { return rounds_at(packets) == rounds; };
    std::uint64_t width = 1;
    while (width <= most - from && is_same(from + width)) width *= 2;
    if (!rounds || width > most - from) return std::nullopt;
    std::uint64_t low = from + width / 2;  // with these rounds; from + width is not
    for (std::uint64_t high = from + width; high - low > 1;) {
        const std::uint64_t middle = low + (high - low) / 2;
        (is_same(middle) ? low : high) = middle;
    }
    return low;
}

/// Whether the rounds found are right at the next steps and at `most` packets, too.
bool holds(const SteadyRounds& found, const RoundsAt& rounds_at, std::uint64_t first_step, std::uint64_t most) {
    constexpr std::uint64_t steps = 8;
    for (std::uint64_t i = 0; i < steps; ++i) {
        const std::uint64_t last = first_step + i * found.group;
        for (const std::uint64_t packets : {last, last + 1, last + (found.group + 1) / 2}) {
            if (packets > most) continue;
            const auto rounds = rounds_at(packets);
            if (!rounds || found.at(packets) != static_cast<std::int64_t>(*rounds)) return false;
        }
    }
    return true;
}

double per_round(const Costs& costs) { return costs.startup + costs.hop; }

}  // namespace

std::int64_t SteadyRounds::at(std::uint64_t packets) const {
    return static_cast<std::int64_t>(step * ((packets + shift + group - 1) / group)) + more;
}

std::string SteadyRounds::text() const {
    const std::string shifted = shift == 0 ? "M" : fmt::format("(M + {})", shift);
    const std::string groups = group == 1 ? "M" : fmt::format("ceil({} / {})", shifted, group);
    std::string text = step == 1 ? groups : fmt::format("{} {}", step, groups);
    if (more != 0) text += fmt::format(" {} {}", more > 0 ? '+' : '-', std::abs(more));
    return text;
}

std::int64_t SteadyRounds::waiting() const {
    return static_cast<std::int64_t>(group) * more + static_cast<std::int64_t>(step * shift);
}

double SteadyRounds::best_packets(double bytes, const Costs& costs) const {
    return std::sqrt(static_cast<double>(waiting()) * bytes * costs.byte /
                     (static_cast<double>(step) * per_round(costs)));
}

double SteadyRounds::least_latency(double bytes, const Costs& costs) const {
    const auto of_group = [&](double value) { return std::sqrt(value / static_cast<double>(group)); };
    const double moving = of_group(static_cast<double>(step) * bytes * costs.byte);
    return std::pow(moving + of_group(static_cast<double>(waiting()) * per_round(costs)), 2);
}

std::optional<SteadyRounds> steady_rounds(const RoundsAt& rounds_at, std::uint64_t most) {
    const auto first = last_of_step(rounds_at, 1, most);
    if (!first) return std::nullopt;
    const auto second = last_of_step(rounds_at, *first + 1, most);
    if (!second) return std::nullopt;
    const auto before = rounds_at(*first);
    const auto after = rounds_at(*second);
    if (!before || !after || *after <= *before) return std::nullopt;
    SteadyRounds found;
    found.step = *after - *before;
    found.group = *second - *first;
    if (*first > found.group) return std::nullopt;
    found.shift = found.group - *first;
    found.more = static_cast<std::int64_t>(*before) - static_cast<std::int64_t>(found.step);
    if (!holds(found, rounds_at, *first, most)) return std::nullopt;
    return found;
}

}  // namespace kport
