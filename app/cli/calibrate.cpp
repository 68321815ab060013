#include "app/cli/bench_output.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/chip/hardware.hpp"
#include "app/cli/progress.hpp"
#include "app/measure/calibration_file.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::cli {

namespace {

using measure::Count;
using measure::CountInfo;
using measure::Prices;

/// Four digits, without an exponent where numbers are large.
std::string digits(double value) {
    return std::abs(value) < 1000 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

/// "1.5 r + 64 v".
std::string sum_of(const Prices& prices, const std::vector<double>& factors, std::string_view CountInfo::*word) {
    std::string text;
    for (std::size_t k = 0; k < factors.size(); ++k) {
        if (factors[k] == 0) continue;
        if (!text.empty()) text += " + ";
        if (std::abs(factors[k] - 1) > 1e-9) text += fmt::format("{:.4g} ", factors[k]);
        text += info(prices.model->counts[k]).*word;
    }
    return text;
}

/// "h = r in every cell: ts stands for ts + td".
std::string why_untold(const Prices& prices, std::size_t i) {
    if (prices.left_out[i]) return "not paid for: the price would be negative";
    const std::string_view symbol = info(prices.model->counts[i]).symbol;
    const std::string made = sum_of(prices, prices.made_of[i], &CountInfo::symbol);
    if (made.empty()) return fmt::format("not estimated: {} is 0 in every cell", symbol);
    std::string text = fmt::format("not estimated: {} = {} in every cell", symbol, made);
    for (std::size_t k = 0; k < prices.of.size(); ++k) {
        if (prices.made_of[i][k] == 0) continue;
        std::vector<double> stands(prices.of.size());
        stands[k] = 1;
        stands[i] = prices.made_of[i][k];
        text += fmt::format("; {} stands for {}", info(prices.model->counts[k]).price,
                            sum_of(prices, stands, &CountInfo::price));
    }
    return text;
}

std::vector<Cell> row_of(const Prices& prices, std::size_t i) {
    const CountInfo& count = info(prices.model->counts[i]);
    const std::string name = fmt::format("{} ({})", count.price, count.about);
    if (!prices.of[i]) return {{name}, {"-"}, {""}, {why_untold(prices, i)}};
    const measure::Estimate& price = *prices.of[i];
    if (!price.standard_error) return {{name}, {digits(price.value)}, {""}, {"no more cells than prices: no interval"}};
    return {{name},
            {digits(price.value)},
            {fmt::format("{} .. {}", digits(price.low), digits(price.high))},
            {price.significant() ? "" : "not significant: the interval holds 0"}};
}

/// The counts of a model in the order in which they are shown: ts, td, tm as in its formula.
std::vector<std::size_t> shown(const measure::CostModel& model) {
    std::vector<std::size_t> order(model.counts.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return model.formula.find(info(model.counts[a]).price) < model.formula.find(info(model.counts[b]).price);
    });
    return order;
}

std::string table_of(const Prices& prices, std::size_t width) {
    using enum Table::Align;
    Table table({{"price"}, {"ns", right}, {"95 % interval", right}, {""}});
    for (const std::size_t i : shown(*prices.model)) table.row(row_of(prices, i));
    return table.text(Paint(false), width);
}

std::string percent(double miss) { return fmt::format("{:.0f} %", 100 * miss); }

double miss(const measure::Calibration& calibration, std::size_t i) {
    return calibration.used().fitted[i] / calibration.observations[i].seconds - 1;
}

std::vector<std::size_t> worst_first(const measure::Calibration& calibration) {
    std::vector<std::size_t> order(calibration.observations.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::abs(miss(calibration, a)) > std::abs(miss(calibration, b));
    });
    return order;
}

/// What each model makes of a cell that it has not seen.
std::string models_table(const measure::Calibration& calibration, std::size_t width) {
    using enum Table::Align;
    Table table({{"model"}, {"time"}, {"mean error of the fit", right}, {"left out", right}, {""}});
    for (const measure::Candidate& candidate : calibration.candidates) {
        const Prices& prices = candidate.prices;
        table.row({{std::string(prices.model->name)},
                   {std::string(prices.model->formula)},
                   {percent(prices.miss)},
                   {prices.left_out_miss ? percent(*prices.left_out_miss) : "-"},
                   {&candidate == &calibration.used() ? "used" : ""}});
    }
    return table.text(Paint(false), width);
}

measure::CalibrationKey key_of(const Operation& operation, std::string_view algorithm, std::string_view engine,
                               unsigned threads) {
    return {std::string(name(operation)), std::string(algorithm), std::string(engine), threads};
}

std::optional<measure::Calibrated> find(const std::filesystem::path& file, const measure::CalibrationKey& key) {
    for (measure::Calibrated& entry : measure::read_calibrations(file))
        if (entry.key == key) return std::move(entry);
    return std::nullopt;
}

[[noreturn]] void refuse_missing(const Experiment& e, const measure::CalibrationKey& key,
                                 const std::filesystem::path& file) {
    throw RequestError(
        fmt::format("no calibration of {} in {}; make one: kport bench {} --on {} --algorithm {} --bytes "
                    "8..64KiB --engine {} --threads {} --calibrate {}",
                    key.text(), quoted(file.string()), key.operation, e.topology().spec(), key.algorithm, key.engine,
                    key.threads, file.string()));
}

}  // namespace

std::filesystem::path calibration_file(const std::string& value) {
    return value.empty() ? measure::default_calibration_file() : std::filesystem::path(value);
}

std::vector<measure::Calibration> calibrations_of(const Bench& bench) {
    const measure::Caches caches = measure::caches_of(chip::hardware());
    std::vector<std::pair<measure::CalibrationKey, std::vector<measure::Observation>>> groups;
    for (const BenchCell& cell : bench.cells) {
        if (!cell.measured || cell.measured->metrics.rounds == 0) continue;
        const measure::CalibrationKey key = key_of(cell.task.experiment.collective.operation, cell.task.algorithm->name,
                                                   cell.task.moved_by(), cell.task.experiment.thread_count());
        auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& known) { return known.first == key; });
        if (group == groups.end()) group = groups.insert(groups.end(), {key, {}});
        group->second.push_back({cell.measured->name,
                                 {cell.measured->metrics, measure::bytes_held(cell.task), caches},
                                 cell.measured->task().seconds.median});
    }
    std::vector<measure::Calibration> calibrations;
    for (auto& [key, observations] : groups) calibrations.push_back(measure::calibrated(key, std::move(observations)));
    return calibrations;
}

std::string text_of(const measure::Calibration& calibration, std::size_t width) {
    constexpr std::size_t worst_max = 3;
    using enum Table::Align;
    Table cells({{"largest errors"}, {"measured", right}, {"fitted", right}, {"error", right}});
    const std::vector<std::size_t> order = worst_first(calibration);
    for (std::size_t i = 0; i < std::min(worst_max, order.size()); ++i) {
        const measure::Observation& observation = calibration.observations[order[i]];
        const double fitted = calibration.used().fitted[order[i]];
        cells.row({{observation.name},
                   {short_time(observation.seconds)},
                   {fitted > 0 ? short_time(fitted) : "-"},
                   {fmt::format("{:+.0f} %", 100 * miss(calibration, order[i]))}});
    }
    const Prices& used = calibration.used().prices;
    std::string text = wrapped(fmt::format("calibration of {}: {}, {}, mean error {}\n\n", calibration.key.text(),
                                           used.model->formula, counted(used.cells, "cell"), percent(used.miss)),
                               4, width);
    text += fmt::format("{}\n{}\n{}", table_of(used, width), models_table(calibration, width),
                        cells.text(Paint(false), width));
    if (calibration.best != 0)
        text += fmt::format("\nthe prices of the machine's model, which predicts this chip worse\n\n{}",
                            table_of(calibration.of_rounds(), width));
    return text;
}

Json prices_json(const Prices& prices) {
    Json json;
    for (const std::size_t i : shown(*prices.model)) {
        Json& price = json[std::string(info(prices.model->counts[i]).price)];
        price = nullptr;
        if (const auto& estimate = prices.of[i]) {
            price = {{"value", estimate->value}, {"significant", estimate->significant()}};
            if (estimate->standard_error)
                price.update(
                    {{"standard_error", *estimate->standard_error}, {"low", estimate->low}, {"high", estimate->high}});
        }
    }
    return json;
}

Json json_of(const measure::Calibration& calibration) {
    Json json;
    json["operation"] = calibration.key.operation;
    json["algorithm"] = calibration.key.algorithm;
    json["engine"] = calibration.key.engine;
    json["threads"] = calibration.key.threads;
    json["relative_miss"] = calibration.used().prices.miss;
    json["ns"] = prices_json(calibration.of_rounds());
    json["model"] = calibration.used().prices.model->name;
    json["models"] = Json::array();
    for (const measure::Candidate& candidate : calibration.candidates) {
        const Prices& prices = candidate.prices;
        json["models"].push_back({{"name", prices.model->name},
                                  {"time", prices.model->formula},
                                  {"ns", prices_json(prices)},
                                  {"relative_miss", prices.miss},
                                  {"left_out_miss", prices.left_out_miss ? Json(*prices.left_out_miss) : Json()}});
    }
    json["cells"] = Json::array();
    for (std::size_t i = 0; i < calibration.observations.size(); ++i)
        json["cells"].push_back({{"name", calibration.observations[i].name},
                                 {"seconds", calibration.observations[i].seconds},
                                 {"fitted_seconds", calibration.used().fitted[i]}});
    json["by_messages"]["relative_miss"] = calibration.candidates[1].prices.miss;
    return json;
}

void require_calibration(const Chosen& chosen, const std::filesystem::path& file) {
    const Experiment& e = chosen.experiment;
    const measure::CalibrationKey key =
        key_of(e.collective.operation, chosen.algorithm->name, name(e.engine), e.thread_count());
    if (!find(file, key)) refuse_missing(e, key, file);
}

std::optional<Prediction> predicted(const Report& report, const Chosen& chosen, const std::filesystem::path& file) {
    const Experiment& e = chosen.experiment;
    const measure::CalibrationKey key =
        key_of(report.collective.operation, chosen.algorithm->name, engine_name(report), e.thread_count());
    const std::optional<measure::Calibrated> entry = find(file, key);
    if (!entry) refuse_missing(e, key, file);
    const Prices& prices = entry->prices;
    const measure::Task task{e, chosen.algorithm};
    const std::vector<double> counts =
        measure::counts_of(*prices.model, {report.verdict.metrics, measure::bytes_held(task), entry->caches});
    Prediction prediction;
    prediction.seconds = prices.predict(counts);
    for (const std::size_t i : shown(*prices.model)) {
        if (!prices.of[i]) continue;
        const CountInfo& count = info(prices.model->counts[i]);
        const char* comma = prediction.prices.empty() ? "" : ", ";
        prediction.counts += fmt::format("{}{:.0f} {}", comma, counts[i], count.many);
        prediction.prices += fmt::format("{}{} = {} ns", comma, count.price, digits(prices.of[i]->value));
    }
    // The prices are those of warm runs, one after the other.
    constexpr double seconds_of_warm_runs = 0.3;
    if (const auto warm = measure::measured_alone(task, {0, seconds_of_warm_runs, &interrupted(), {}})) {
        prediction.measured_seconds = warm->median;
        prediction.repetitions = warm->count;
    } else {
        return std::nullopt;
    }
    prediction.origin = fmt::format("{}, {}: {}, {}, mean error of the fit {}", file.string(), entry->date,
                                    prices.model->formula, counted(prices.cells, "cell"), percent(prices.miss));
    if (const auto beyond = prices.beyond(counts))
        prediction.caveat = fmt::format("{}: other in this run", why_untold(prices, *beyond));
    return prediction;
}

}  // namespace kport::cli
