#include "app/cli/bench_output.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace kport::cli {

namespace {

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Json context_of(const Bench& bench) {
    Json context;
    context["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%S+00:00}", fmt::gmtime(std::time(nullptr)));
    context["host_name"] = host_name();
    context["executable"] = "kport bench";
    context["num_cpus"] = std::thread::hardware_concurrency();
    std::array<double, 3> load{};
    context["load_avg"] = Json::array();
    for (int i = 0; i < getloadavg(load.data(), static_cast<int>(load.size())); ++i)
        context["load_avg"].push_back(load.at(static_cast<std::size_t>(i)));
    context["library_version"] = KPORT_VERSION;
    context["library_build_type"] = KPORT_BUILD_TYPE;
    context["pinned"] = std::all_of(bench.cells.begin(), bench.cells.end(), [](const BenchCell& cell) {
        return !cell.measured || cell.measured->why_not_pinned.empty();
    });
    context["stopped"] = bench.stopped;
    context["not_measured"] = Json::array();
    for (const BenchCell& cell : bench.cells)
        if (!cell.why_not.empty()) context["not_measured"].push_back(cell.why_not);
    return context;
}

/// Writes the rows of one contender.
class Rows {
  public:
    Rows(Json& rows, const measure::Measurement& cell, const measure::Result& result, std::string name,
         std::size_t family)
        : rows_(rows), cell_(cell), result_(result), name_(std::move(name)), family_(family) {}

    void write() {
        const std::vector<measure::Lap>& laps = result_.timing.laps;
        for (std::size_t i = 0; i < laps.size(); ++i) {
            Json row = head(name_, "iteration");
            row["repetition_index"] = i;
            row["threads"] = cell_.threads;
            row["iterations"] = result_.timing.times;
            row["real_time"] = laps[i].seconds * 1e9;
            row["cpu_time"] = laps[i].cpu_seconds * 1e9;
            row["time_unit"] = "ns";
            row["items_per_second"] = static_cast<double>(cell_.metrics.transfers) / laps[i].seconds;
            row["bytes_per_second"] = static_cast<double>(cell_.metrics.bytes) / laps[i].seconds;
            rows_.push_back(std::move(row));
        }
        const auto seconds = [](const measure::Lap& lap) { return lap.seconds; };
        const auto cpu = [](const measure::Lap& lap) { return lap.cpu_seconds; };
        const auto per_second = [](std::uint64_t count) {
            return [count](const measure::Lap& lap) { return static_cast<double>(count) / lap.seconds; };
        };
        const std::array series = {summary(seconds), summary(cpu), summary(per_second(cell_.metrics.transfers)),
                                   summary(per_second(cell_.metrics.bytes))};
        constexpr std::array names = {"mean", "median", "stddev", "cv"};
        for (std::size_t i = 0; i < names.size(); ++i) {
            const bool share = i == 3;
            Json row = head(fmt::format("{}_{}", name_, names[i]), "aggregate");
            row["threads"] = cell_.threads;
            row["aggregate_name"] = names[i];
            row["aggregate_unit"] = share ? "percentage" : "time";
            row["iterations"] = laps.size();
            row["real_time"] = series[0][i] * (share ? 1 : 1e9);
            row["cpu_time"] = series[1][i] * (share ? 1 : 1e9);
            row["time_unit"] = "ns";
            row["items_per_second"] = series[2][i];
            row["bytes_per_second"] = series[3][i];
            rows_.push_back(std::move(row));
        }
    }

  private:
    [[nodiscard]] Json head(const std::string& row_name, const char* type) const {
        Json row;
        row["name"] = row_name;
        row["family_index"] = family_;
        row["per_family_instance_index"] = 0;
        row["run_name"] = name_;
        row["run_type"] = type;
        row["repetitions"] = result_.timing.laps.size();
        return row;
    }

    /// Mean, median, standard deviation, and the last of the first.
    template <class Of>
    [[nodiscard]] std::array<double, 4> summary(const Of& of) const {
        std::vector<double> values;
        for (const measure::Lap& lap : result_.timing.laps) values.push_back(of(lap));
        const auto count = static_cast<double>(values.size());
        double sum = 0;
        for (const double value : values) sum += value;
        const double mean = sum / count;
        double squares = 0;
        for (const double value : values) squares += (value - mean) * (value - mean);
        const double deviation = count > 1 ? std::sqrt(squares / (count - 1)) : 0;
        return {mean, chip::statistics_of(values).median, deviation, mean > 0 ? deviation / mean : 0};
    }

    Json& rows_;
    const measure::Measurement& cell_;
    const measure::Result& result_;
    std::string name_;
    std::size_t family_;
};

}  // namespace

Json bench_json(const Bench& bench) {
    Json json;
    json["context"] = context_of(bench);
    json["benchmarks"] = Json::array();
    std::size_t family = 0;
    for (const BenchCell& cell : bench.cells) {
        if (!cell.measured) continue;
        for (const measure::Result& result : cell.measured->results) {
            const bool task = &result == &cell.measured->task();
            const std::string name =
                task ? cell.measured->name : fmt::format("{}/{}", cell.measured->name, result.timing.contender);
            Rows(json["benchmarks"], *cell.measured, result, name, family++).write();
        }
    }
    return json;
}

}  // namespace kport::cli
