#include "emulator/report/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "emulator/report/judgement.hpp"

namespace kport {

std::string_view engine_name(const Report& report) { return report.checked ? "audit" : name(report.engine); }

std::uint64_t bytes_moved(const Report& report) { return report.payload ? report.verdict.metrics.bytes : 0; }

double message_seconds(const Report& report) {
    return report.engine == EngineKind::free ? report.moving_seconds : report.wall_seconds;
}

bool meets(double measured, double bound) {
    const auto is_whole = [](double value) { return std::nearbyint(value) == value; };
    if (is_whole(measured) && is_whole(bound)) return measured == bound;  // counts, which nothing has rounded
    return std::abs(measured - bound) <= 1e-9 * std::abs(bound);
}

std::optional<bool> optimal(const Report& report, double measured, const BoundLine& bound) {
    if (!bound.value || report.stopped) return std::nullopt;
    return report.verdict.lawful() && (meets(measured, *bound.value) || (bound.least && meets(measured, *bound.least)));
}

namespace {

/// The value that is set beside the bound.
double judged(const Report& report, Quantity quantity) {
    return quantity == Quantity::rounds ? static_cast<double>(rounds_judged(report))
                                        : row(quantity).of(report.verdict.metrics);
}

}  // namespace

std::optional<bool> optimal(const Report& report, Quantity quantity) {
    return optimal(report, judged(report, quantity), report.bounds[quantity]);
}

std::uint64_t rounds_judged(const Report& report) {
    const Metrics& m = report.verdict.metrics;
    const bool one_packet =
        report.collective.operation->carries == Carries::copies && report.collective.packets_each == 1;
    return one_packet && report.verdict.delivered ? m.informed_after : m.rounds;
}

std::uint64_t reached_before(const Operation& operation) { return operation->rooted == Rooted::gives ? 1 : 0; }

Found found(const Report& report, const Injected& fault) {
    Found told = found(fault, report.verdict);
    if (told.finding == Finding::missed && report.stopped) told.finding = Finding::harmless;
    return told;
}

bool is_exact(const Report& report) {
    return report.payload && report.reduction && report.reduction->op.is_exact(report.reduction->type);
}

bool is_below_bound(const Report& report) {
    if (!report.verdict.lawful() || report.stopped || !report.judgement.findings.empty()) return false;
    return std::ranges::any_of(quantity_rows, [&](const QuantityRow& each) {
        const std::optional<double>& bound = report.bounds[each.quantity].value;
        const double value = judged(report, each.quantity);
        return bound && value < *bound && !meets(value, *bound);
    });
}

bool misses_fault(const Report& report) {
    return std::ranges::any_of(report.faults,
                               [&](const Injected& fault) { return found(report, fault).finding == Finding::missed; });
}

std::string_view name(ScheduleFault fault) {
    constexpr std::array<std::string_view, 14> names = {"unmatched", "deadlock",  "count", "size",  "race",
                                                        "link",      "bandwidth", "ports", "order", "unwritten",
                                                        "fold",      "delivery",  "NODUP", "NOHO"};
    return names.at(static_cast<std::size_t>(fault));
}

}  // namespace kport
