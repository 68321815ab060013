#include "cli/calibrate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cli/bench_table.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "measure/calibration_file.hpp"

namespace kport::cli {

namespace {

using measure::priced_count;

struct PriceName {
    std::string_view price;
    std::string_view count;
    std::string_view about;
};
constexpr std::array<PriceName, priced_count> price_names = {
    {{"ts", "r", "a startup"}, {"tm", "v", "a byte"}, {"td", "h", "a hop"}}};
constexpr std::array<std::size_t, priced_count> shown = {measure::startup, measure::hop, measure::byte};

/// Four digits, without an exponent where numbers are large.
std::string digits(double value) {
    return std::abs(value) < 1000 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

/// "1.5 r + 64 v".
std::string sum_of(const std::vector<double>& factors, std::string_view PriceName::*word) {
    std::string text;
    for (std::size_t k = 0; k < priced_count; ++k) {
        if (factors[k] == 0) continue;
        if (!text.empty()) text += " + ";
        if (std::abs(factors[k] - 1) > 1e-9) text += fmt::format("{:.4g} ", factors[k]);
        text += price_names.at(k).*word;
    }
    return text;
}

/// "h = r in every cell: ts stands for ts + td".
std::string why_untold(const measure::Prices& prices, std::size_t i) {
    const std::string made = sum_of(prices.made_of[i], &PriceName::count);
    if (made.empty()) return fmt::format("cannot be told: {} is 0 in every cell", price_names.at(i).count);
    std::string text = fmt::format("cannot be told: {} = {} in every cell", price_names.at(i).count, made);
    for (std::size_t k = 0; k < priced_count; ++k) {
        if (prices.made_of[i][k] == 0) continue;
        std::vector<double> stands(priced_count);
        stands[k] = 1;
        stands[i] = prices.made_of[i][k];
        text += fmt::format("; {} stands for {}", price_names.at(k).price, sum_of(stands, &PriceName::price));
    }
    return text;
}

std::vector<Cell> row_of(const measure::Prices& prices, std::size_t i) {
    const std::string name = fmt::format("{} ({})", price_names.at(i).price, price_names.at(i).about);
    if (!prices.of[i]) return {{name}, {"-"}, {""}, {why_untold(prices, i)}};
    const measure::Estimate& price = *prices.of[i];
    if (!price.standard_error) return {{name}, {digits(price.value)}, {""}, {"no more cells than prices: no interval"}};
    return {{name},
            {digits(price.value)},
            {fmt::format("{} .. {}", digits(price.low), digits(price.high))},
            {price.significant() ? "" : "not significant: the interval holds 0"}};
}

double miss(const measure::Calibration& calibration, std::size_t i) {
    return calibration.fitted[i] / calibration.observations[i].seconds - 1;
}

std::vector<std::size_t> worst_first(const measure::Calibration& calibration) {
    std::vector<std::size_t> order(calibration.observations.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::abs(miss(calibration, a)) > std::abs(miss(calibration, b));
    });
    return order;
}

/// How well messages, instead of rounds, explain the same times.
std::string messages_line(const measure::Calibration& calibration) {
    const measure::Fit& fit = calibration.by_messages;
    std::string line;
    const auto add = [&](measure::PaidFor what, std::string_view about) {
        if (const auto& price = fit.prices[what])
            line += fmt::format("{}{} ns {}", line.empty() ? "" : ", ", digits(price->value), about);
    };
    add(measure::operation, "a run");
    add(measure::message, "a message");
    add(measure::message_byte, "for each of its bytes");
    line += fmt::format(" would miss by {:.0f} %", 100 * fit.miss);
    constexpr double much_better = 2.0 / 3;
    if (fit.miss < much_better * calibration.prices.miss)
        line += ":\nthis chip pays for every message, the model for every round";
    return line + "\n";
}

measure::CalibrationKey key_of(Operation operation, std::string_view algorithm, std::string_view engine,
                               unsigned threads) {
    return {std::string(name(operation)), std::string(algorithm), std::string(engine), threads};
}

std::optional<measure::Calibrated> find(const std::filesystem::path& file, const measure::CalibrationKey& key) {
    for (measure::Calibrated& entry : measure::read_calibrations(file))
        if (entry.key == key) return std::move(entry);
    return std::nullopt;
}

[[noreturn]] void refuse_missing(const Settings& s, const measure::CalibrationKey& key,
                                 const std::filesystem::path& file) {
    throw RequestError(
        fmt::format("no calibration of {} in {}; make one: kport bench {} --on {} --algorithm {} --bytes "
                    "8..64KiB --engine {} --threads {} --calibrate {}",
                    key.text(), quoted(file.string()), key.operation, s.topology().spec(), key.algorithm, key.engine,
                    key.threads, file.string()));
}

}  // namespace

std::filesystem::path calibration_file(const std::string& value) {
    return value.empty() ? measure::default_calibration_file() : std::filesystem::path(value);
}

std::vector<measure::Calibration> calibrations_of(const Bench& bench) {
    std::vector<std::pair<measure::CalibrationKey, std::vector<measure::Observation>>> groups;
    for (const BenchCell& cell : bench.cells) {
        if (!cell.measured || cell.measured->metrics.rounds == 0) continue;
        const measure::CalibrationKey key =
            key_of(cell.task.request.operation, cell.task.algorithm->name, cell.task.moved_by(), cell.task.threads);
        auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& known) { return known.first == key; });
        if (group == groups.end()) group = groups.insert(groups.end(), {key, {}});
        group->second.push_back({cell.measured->name, cell.measured->metrics, cell.measured->task().seconds.median});
    }
    std::vector<measure::Calibration> calibrations;
    for (auto& [key, observations] : groups) calibrations.push_back(measure::calibrated(key, std::move(observations)));
    return calibrations;
}

std::string text_of(const measure::Calibration& calibration) {
    constexpr std::size_t worst_max = 3;
    using enum Table::Align;
    Table prices({{"price"}, {"ns", right}, {"95 % interval", right}, {""}});
    for (const std::size_t i : shown) prices.row(row_of(calibration.prices, i));
    Table cells({{"where it misses most"}, {"measured", right}, {"fitted", right}, {"miss", right}});
    const std::vector<std::size_t> order = worst_first(calibration);
    for (std::size_t i = 0; i < std::min(worst_max, order.size()); ++i) {
        const measure::Observation& observation = calibration.observations[order[i]];
        const double fitted = calibration.fitted[order[i]];
        cells.row({{observation.name},
                   {short_time(observation.seconds)},
                   {fitted > 0 ? short_time(fitted) : "-"},
                   {fmt::format("{:+.0f} %", 100 * miss(calibration, order[i]))}});
    }
    return fmt::format("calibration of {}: r ts + h td + v tm, {} cells, misses by {:.0f} %\n\n{}\n{}\n{}",
                       calibration.key.text(), calibration.prices.cells, 100 * calibration.prices.miss,
                       prices.text(Paint(false)), cells.text(Paint(false)), messages_line(calibration));
}

Json json_of(const measure::Calibration& calibration) {
    Json json;
    json["operation"] = calibration.key.operation;
    json["algorithm"] = calibration.key.algorithm;
    json["engine"] = calibration.key.engine;
    json["threads"] = calibration.key.threads;
    json["relative_miss"] = calibration.prices.miss;
    for (const std::size_t i : shown) {
        Json& price = json["ns"][std::string(price_names.at(i).price)];
        price = nullptr;
        if (const auto& estimate = calibration.prices.of[i]) {
            price = {{"value", estimate->value}, {"significant", estimate->significant()}};
            if (estimate->standard_error)
                price.update(
                    {{"standard_error", *estimate->standard_error}, {"low", estimate->low}, {"high", estimate->high}});
        }
    }
    json["cells"] = Json::array();
    for (std::size_t i = 0; i < calibration.observations.size(); ++i)
        json["cells"].push_back({{"name", calibration.observations[i].name},
                                 {"seconds", calibration.observations[i].seconds},
                                 {"fitted_seconds", calibration.fitted[i]}});
    json["by_messages"]["relative_miss"] = calibration.by_messages.miss;
    return json;
}

void require_calibration(const Settings& s, const Algorithm& algorithm, const std::filesystem::path& file) {
    const measure::CalibrationKey key = key_of(s.request.operation, algorithm.name, name(s.engine), s.threads);
    if (!find(file, key)) refuse_missing(s, key, file);
}

Prediction predicted(const Report& report, const Settings& s, const Algorithm& algorithm,
                     const std::filesystem::path& file) {
    const measure::CalibrationKey key = key_of(report.operation, algorithm.name, report.engine.name, s.threads);
    const std::optional<measure::Calibrated> entry = find(file, key);
    if (!entry) refuse_missing(s, key, file);
    const std::vector<double> counts = measure::model_counts(report.verdict.metrics);
    Prediction prediction;
    prediction.seconds = entry->prices.predict(counts);
    for (const std::size_t i : shown)
        if (entry->prices.of[i])
            prediction.prices += fmt::format("{}{} = {} ns", prediction.prices.empty() ? "" : ", ",
                                             price_names.at(i).price, digits(entry->prices.of[i]->value));
    prediction.origin = fmt::format("{}, {}: {} cells, which it misses by {:.0f} %", file.string(), entry->date,
                                    entry->prices.cells, 100 * entry->prices.miss);
    if (const auto beyond = entry->prices.beyond(counts))
        prediction.caveat = fmt::format("{}: other in this run", why_untold(entry->prices, *beyond));
    return prediction;
}

}  // namespace kport::cli
