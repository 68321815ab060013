#include "app/cli/bench_output.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/report/table.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

namespace {

using chip::Pu;
using chip::Statistics;
using chip::Survey;

/// Three digits, or all before the point.
std::string figure(double value) {
    if (value >= 99.95) return fmt::format("{:.0f}", value);
    return fmt::format("{:.{}f}", value, value >= 9.995 ? 1 : 2);
}

/// "134 (130-140)": the median and its interval, each made of ns by `in`.
template <class Unit>
std::string with_interval(const Statistics& ns, Unit&& in) {
    const double one = in(ns.low);
    const double other = in(ns.high);
    return fmt::format("{} ({}-{})", figure(in(ns.median)), figure(std::min(one, other)), figure(std::max(one, other)));
}
std::string with_interval(const Statistics& ns) {
    return with_interval(ns, [](double value) { return value; });
}

std::string size_text(std::uint64_t bytes) {
    constexpr std::array units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    auto value = static_cast<double>(bytes);
    for (; value >= 1024 && unit + 1 < units.size(); value /= 1024) ++unit;
    return fmt::format("{:.{}f} {}", value, value == std::floor(value) ? 0 : 1, units[unit]);
}

// ---- the machine ----------------------------------------------------------------------------------------------------

std::string machine_text(const Survey& survey) {
    const chip::Hardware& machine = survey.machine;
    std::string text =
        fmt::format("cpu      {}{}\n", machine.cpu, machine.virtual_machine ? ", a virtual machine" : "");
    text += fmt::format("cores    {} in {}{}, {}, {} of memory\n", machine.cores, counted(machine.packages, "package"),
                        machine.pus > machine.cores ? fmt::format(" with {} hardware threads in all", machine.pus) : "",
                        counted(machine.numa_nodes, "NUMA node"), size_text(machine.memory_bytes));
    if (!machine.caches.empty()) {
        std::vector<std::string> caches;
        for (const chip::Cache& cache : machine.caches)
            caches.push_back(fmt::format("L{} {}{}", cache.level, size_text(cache.bytes),
                                         cache.shared_by > 1 ? fmt::format(" shared by {}", cache.shared_by) : ""));
        text += fmt::format("caches   {}; lines of {} bytes\n", fmt::join(caches, ", "), machine.caches[0].line_bytes);
    }
    text += fmt::format("threads  {} on {} {}, {}\n", survey.pus.size(), survey.pus.size() == 1 ? "core" : "cores",
                        fmt::join(survey.pus, " "),
                        survey.why_not_pinned.empty() ? "pinned" : "not pinned: " + survey.why_not_pinned);
    return text;
}

// ---- round trips ----------------------------------------------------------------------------------------------------

/// From the least median to the greatest: green, yellow, red.
class Heat {
  public:
    explicit Heat(const std::vector<chip::RoundTrip>& trips) {
        const auto [least, greatest] = std::minmax_element(
            trips.begin(), trips.end(), [](const auto& a, const auto& b) { return a.ns.median < b.ns.median; });
        least_ = least->ns.median;
        // Less than 1.5 times the minimum is noise, not red.
        greatest_ = std::max(greatest->ns.median, 1.5 * least_);
    }
    [[nodiscard]] Tone operator()(double ns) const {
        constexpr std::array tones = {Tone::heat_1, Tone::heat_2, Tone::heat_3, Tone::heat_4,
                                      Tone::heat_5, Tone::heat_6, Tone::heat_7};
        const double place = std::clamp((ns - least_) / (greatest_ - least_), 0.0, 1.0);
        return tones[static_cast<std::size_t>(std::lround(place * (tones.size() - 1)))];
    }

  private:
    double least_;
    double greatest_;
};

/// The round trips between every two cores.
std::string matrix_text(const Survey& survey, const Paint& paint, std::size_t width) {
    std::map<std::pair<Pu, Pu>, double> medians;
    for (const chip::RoundTrip& trip : survey.round_trips)
        medians[{trip.first, trip.second}] = medians[{trip.second, trip.first}] = trip.ns.median;
    std::vector<Pu> order = survey.pus;
    std::sort(order.begin(), order.end());
    const Heat heat(survey.round_trips);
    std::vector<Table::Column> columns = {{"core", Table::Align::right}};
    for (const Pu column : order) columns.push_back({fmt::to_string(column), Table::Align::right});
    Table table(std::move(columns));
    for (const Pu row : order) {
        std::vector<Cell> cells = {{fmt::to_string(row)}};
        for (const Pu column : order) {
            const auto found = medians.find({row, column});
            cells.push_back(found == medians.end() ? Cell{"."} : Cell{figure(found->second), heat(found->second)});
        }
        table.row(std::move(cells));
    }
    return table.text(paint, width);
}

std::string round_trips_text(const Survey& survey, const Paint& paint, std::size_t width) {
    if (survey.pus.size() < 2) return "round trips between cores: there is one core and so no pair\n";
    if (survey.round_trips.empty()) return "";
    const std::string text = "round trip of a cache line between two cores, ns (one way is half of it)\n" +
                             matrix_text(survey, paint, width);
    if (survey.round_trips.size() == 1) return text + fmt::format("{}\n", with_interval(survey.round_trips[0].ns));
    const auto [least, greatest] =
        std::minmax_element(survey.round_trips.begin(), survey.round_trips.end(),
                            [](const auto& a, const auto& b) { return a.ns.median < b.ns.median; });
    return text + wrapped(fmt::format("least {}, between {} and {}; greatest {}, between {} and {}\n",
                                      with_interval(least->ns), least->first, least->second,
                                      with_interval(greatest->ns), greatest->first, greatest->second),
                          4, width, Break::phrases);
}

// ---- messages, tasks, programs ----------------------------------------------------------------------------------------

std::string hand_over_text(const Survey& survey, const Paint& paint, std::size_t width) {
    if (survey.hand_over.empty()) return "";
    std::vector<Table::Column> columns = {{"a message of 8 bytes, ns"}};
    for (const chip::Way way : chip::ways)
        if (chip::threads_of(way) <= survey.pus.size())
            columns.push_back({std::string(name(way)), Table::Align::right});
    Table table(columns);
    for (const chip::Carrier carrier : chip::carriers) {
        std::vector<Cell> row = {{std::string(name(carrier))}};
        for (const Survey::HandOver& one : survey.hand_over)
            if (one.carrier == carrier) row.push_back({with_interval(one.ns)});
        if (row.size() > 1) table.row(row);
    }
    return table.text(paint, width);
}

std::string switching_text(const Survey& survey, const Paint& paint, std::size_t width) {
    if (!survey.task) return "";
    Table table({{"other work on one thread, ns"}, {"", Table::Align::right}});
    const auto row = [&](const char* what, const std::optional<Statistics>& ns) {
        if (ns) table.row({{what}, {with_interval(*ns)}});
    };
    row("oneTBB task: spawn, run", survey.task);
    row("node program: resume, suspend", survey.resume);
    row("node program: make, run, end", survey.program);
    return table.text(paint, width);
}

// ---- copying ----------------------------------------------------------------------------------------------------------

std::string copying_text(const Survey& survey, const Paint& paint, std::size_t width) {
    if (survey.copying.empty()) return "";
    std::vector<Table::Column> columns = {{"copy, GB/s", Table::Align::right}};
    std::map<std::uint64_t, std::map<unsigned, const chip::Copying*>> by_size;
    for (const chip::Copying& one : survey.copying) by_size[one.bytes][one.threads] = &one;
    const std::vector<unsigned> counts = chip::thread_counts(static_cast<unsigned>(survey.pus.size()));
    for (const unsigned threads : counts) columns.push_back({counted(threads, "thread"), Table::Align::right});
    columns.push_back({"two buffers fit into"});
    Table table(columns);
    for (const auto& [bytes, by_threads] : by_size) {
        std::vector<Cell> row = {{size_text(bytes)}};
        for (const unsigned threads : counts) {
            const auto found = by_threads.find(threads);
            row.push_back({found == by_threads.end() ? "-" : with_interval(found->second->ns, [&](double ns) {
                return static_cast<double>(found->second->bytes * threads) / ns;
            })});
        }
        const chip::Cache* cache = survey.machine.cache_for(2 * bytes);
        row.push_back({cache == nullptr ? "memory" : fmt::format("L{}", cache->level)});
        table.row(row);
    }
    return table.text(paint, width) +
           fmt::format("each thread its own, all together; buffers of all threads at most {}\n",
                       size_text(survey.memory));
}

// ---- JSON -------------------------------------------------------------------------------------------------------------

Json json_of(const Statistics& ns) {
    return {{"median", ns.median},     {"low", ns.low},     {"high", ns.high},
            {"coverage", ns.coverage}, {"least", ns.least}, {"samples", ns.count}};
}
Json json_of(const std::optional<Statistics>& ns) { return ns ? json_of(*ns) : Json(); }

Json json_of(const chip::Hardware& machine) {
    Json caches = Json::array();
    for (const chip::Cache& cache : machine.caches)
        caches.push_back({{"level", cache.level},
                          {"bytes", cache.bytes},
                          {"line_bytes", cache.line_bytes},
                          {"count", cache.count},
                          {"shared_by", cache.shared_by}});
    return {{"cpu", machine.cpu},
            {"virtual", machine.virtual_machine},
            {"packages", machine.packages},
            {"cores", machine.cores},
            {"hardware_threads", machine.pus},
            {"usable", machine.usable},
            {"time_limit_cores", machine.time_limit ? Json(*machine.time_limit) : Json()},
            {"numa_nodes", machine.numa_nodes},
            {"memory_bytes", machine.memory_bytes},
            {"caches", caches}};
}

/// The whole survey.
double least_coverage(const Survey& survey) {
    double least = 1;
    const auto consider = [&](const Statistics& ns) { least = std::min(least, ns.coverage); };
    for (const auto& one : survey.round_trips) consider(one.ns);
    for (const auto& one : survey.copying) consider(one.ns);
    for (const auto& one : survey.hand_over) consider(one.ns);
    for (const auto* one : {&survey.task, &survey.resume, &survey.program})
        if (*one) consider(**one);
    return least;
}

}  // namespace

std::string chip_text(const Survey& survey, const Paint& paint, std::size_t width) {
    constexpr std::size_t label = 9;
    std::string text = wrapped(machine_text(survey), label, width, Break::phrases);
    for (const std::string& part : {round_trips_text(survey, paint, width), hand_over_text(survey, paint, width),
                                    switching_text(survey, paint, width), copying_text(survey, paint, width)})
        if (!part.empty()) text += "\n" + part;
    text += wrapped(
        fmt::format(
            "\nMedians; in parentheses the interval that holds the median with at least {:.0f} % probability.\n",
            std::floor(100 * least_coverage(survey))),
        0, width);
    if (survey.stopped) text += "Stopped before everything was measured.\n";
    return text;
}

Json chip_json(const Survey& survey) {
    Json trips = Json::array();
    for (const chip::RoundTrip& trip : survey.round_trips)
        trips.push_back({{"cores", {trip.first, trip.second}}, {"ns", json_of(trip.ns)}});
    Json messages = Json::array();
    for (const Survey::HandOver& one : survey.hand_over)
        messages.push_back({{"carrier", name(one.carrier)}, {"way", name(one.way)}, {"ns", json_of(one.ns)}});
    Json copies = Json::array();
    for (const chip::Copying& one : survey.copying)
        copies.push_back({{"bytes", one.bytes},
                          {"threads", one.threads},
                          {"bytes_per_second", one.bytes_per_second()},
                          {"ns", json_of(one.ns)}});
    return {{"machine", json_of(survey.machine)},
            {"cores", survey.pus},
            {"pinned", survey.why_not_pinned.empty()},
            {"why_not_pinned", survey.why_not_pinned.empty() ? Json() : Json(survey.why_not_pinned)},
            {"round_trips", trips},
            {"messages", messages},
            {"task", json_of(survey.task)},
            {"resume", json_of(survey.resume)},
            {"program", json_of(survey.program)},
            {"copies", copies},
            {"copy_memory_bytes", survey.memory},
            {"stopped", survey.stopped}};
}

}  // namespace kport::cli
