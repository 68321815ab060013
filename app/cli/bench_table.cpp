#include "app/cli/bench_output.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "app/requests/texts.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

namespace {

constexpr std::array yardsticks = {"memcpy", "bare_loop"};

/// Three digits, no exponent: "0.00123", "1.23", "123", "12345".
std::string three_digits(double value) {
    if (value >= 100) return fmt::format("{:.0f}", value);
    return fmt::format("{:#.3g}", value);
}

std::string interval(const chip::Statistics& seconds) {
    if (!seconds.has_interval()) return "-";
    return fmt::format("{} .. {}", short_time(seconds.low), short_time(seconds.high));
}

/// The time of a yardstick, and how many of it the task takes.
void add_yardstick(std::vector<Cell>& row, const measure::Measurement& cell, std::string_view contender) {
    const measure::Result* result = cell.yardstick(contender);
    row.push_back({result == nullptr ? "-" : short_time(result->seconds.median)});
    row.push_back({result == nullptr ? "-" : three_digits(cell.task().seconds.median / result->seconds.median)});
}

/// The cell that differs from this one in its threads alone, of which it has one; null where there is none.
const BenchCell* on_one_thread(const Bench& bench, const BenchCell& cell) {
    const auto threads = std::find(bench.columns.begin(), bench.columns.end(), "threads");
    if (threads == bench.columns.end()) return nullptr;
    std::vector<std::string> values = cell.values;
    values[static_cast<std::size_t>(threads - bench.columns.begin())] = "1";
    for (const BenchCell& other : bench.cells)
        if (other.measured && other.values == values) return &other;
    return nullptr;
}

std::optional<double> speed_up(const Bench& bench, const BenchCell& cell) {
    const BenchCell* one = on_one_thread(bench, cell);
    if (one == nullptr || !cell.measured) return std::nullopt;
    return one->measured->task().seconds.median / cell.measured->task().seconds.median;
}

bool shows_speed_up(const Bench& bench) {
    return std::any_of(bench.cells.begin(), bench.cells.end(), [&](const BenchCell& cell) {
        return cell.task.experiment.thread_count() != 1 && speed_up(bench, cell);
    });
}

/// The row of a measured cell.
std::vector<Cell> row_of(const Bench& bench, const BenchCell& cell) {
    std::vector<Cell> row;
    for (const std::string& value : cell.values) row.push_back({value});
    row.push_back({std::string(cell.task.algorithm->name)});
    const measure::Measurement& measured = *cell.measured;
    const std::optional<double> each = measured.ns_a_message();
    row.push_back({fmt::to_string(measured.metrics.transfers)});
    row.push_back({short_time(measured.task().seconds.median), Tone::good});
    row.push_back({interval(measured.task().seconds)});
    row.push_back({short_time(measured.task().seconds.least)});
    row.push_back({measured.task().starts.size() < 2 ? "-" : fmt::format("{:.1f} %", 100 * measured.task().spread())});
    if (shows_speed_up(bench)) {
        const auto times = speed_up(bench, cell);
        row.push_back({times ? fmt::format("{:.2f}", *times) : "-"});
    }
    row.push_back({each ? three_digits(*each) : "-"});
    row.push_back({memory(measured.bytes_a_second(measured.task())) + "/s"});
    for (const char* yardstick : yardsticks) add_yardstick(row, measured, yardstick);
    row.push_back({fmt::to_string(measured.task().timing.laps.size())});
    return row;
}

std::string_view what_is_timed(const measure::Task& task) {
    if (task.replay) return "of one replay: the recorded schedule moves the bytes; no programs, no audit";
    if (task.experiment.engine == EngineKind::free)
        return "of one free run, its memory warm: the programs alone; no set-up, audit, verification";
    return "of one whole run in lockstep: set-up, rounds, audit, verification, teardown";
}

/// What was timed, who was pinned, and how sure the intervals are.
std::string footnotes(const Bench& bench, std::size_t width) {
    std::string text = "\n";
    constexpr std::size_t label = 11;
    const auto line = [&](std::string_view word, std::string_view says) {
        text += wrapped(fmt::format("{:<{}}{}\n", word, label, says), label, width);
    };
    line("time", what_is_timed(bench.cells.front().task));
    line("memcpy", "copies as many bytes as the messages carry, on one thread, in memory as large as all nodes hold");
    line("bare loop",
         "copies message by message in a plain loop, on one thread; '-': there is none of this algorithm and number of "
         "packets");
    line("ratio", "time of the run / time of the yardstick");
    std::set<std::string> loose;
    bool lacks_interval = false;
    std::size_t processes = 1;
    for (const BenchCell& cell : bench.cells) {
        if (!cell.measured) continue;
        if (!cell.measured->why_not_pinned.empty()) loose.insert(cell.measured->why_not_pinned);
        lacks_interval = lacks_interval || !cell.measured->task().seconds.has_interval();
        processes = std::max(processes, cell.measured->task().starts.size());
    }
    if (loose.empty()) line("threads", "pinned, each to a core of its own as far as there are cores");
    for (const std::string& why : loose) line("threads", fmt::format("NOT pinned: {}", why));
    if (processes > 1)
        line("interval",
             fmt::format("of the medians of {} processes, one after the other; spread: from the least to the "
                         "greatest of them",
                         processes));
    if (lacks_interval)
        line("interval", fmt::format("'-': fewer than 6 {} have none in which the median lies with 95 %",
                                     processes > 1 ? "processes" : "repetitions"));
    if (shows_speed_up(bench)) line("speed-up", "over the same cell on one thread");
    return text;
}

}  // namespace

std::string short_time(double seconds) {
    constexpr std::array<std::pair<double, std::string_view>, 4> units = {
        {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}}};
    std::size_t unit = 0;
    while (unit + 1 < units.size() && seconds >= 999.5 * units[unit].first) ++unit;
    return fmt::format("{} {}", three_digits(seconds / units[unit].first), units[unit].second);
}

std::string bench_table(const Bench& bench, const Paint& paint, std::size_t width) {
    using enum Table::Align;
    std::vector<Table::Column> columns;
    for (const std::string& column : bench.columns)
        columns.push_back({column, column == "bytes" || column == "threads" ? right : left});
    columns.push_back({"algorithm"});
    for (const char* heading : {"messages", "time", "95 % interval", "least", "spread", "speed-up", "ns a message",
                                "bytes/s", "memcpy", "ratio", "bare loop", "ratio", "repetitions"})
        if (heading != std::string_view("speed-up") || shows_speed_up(bench))
            columns.push_back({heading, right, heading == std::string_view("ratio")});
    Table table(std::move(columns), bench.columns.size() + 1);
    bool anything = false;
    std::string untold;
    for (const BenchCell& cell : bench.cells) {
        anything = anything || cell.measured;
        if (cell.measured) table.row(row_of(bench, cell));
        if (!cell.why_not.empty())
            untold += wrapped(fmt::format("not measured: {}\n", paint(cell.why_not, Tone::bad)), 4, width);
    }
    std::string text = wrapped(bench.heading, 8, width, Break::phrases) + "\n\n";
    if (anything) text += table.text(paint, width) + footnotes(bench, width) + (untold.empty() ? "" : "\n");
    return text + untold;
}

std::string bench_csv(const Bench& bench) {
    std::string csv = csv_line({"name",         "operation",        "algorithm",   "topology",    "nodes",    "ports",
                                "bytes",        "engine",           "threads",     "rounds",      "path_sum", "volume",
                                "messages",     "message_bytes",    "repetitions", "median_s",    "low_s",    "high_s",
                                "ns_a_message", "bytes_per_second", "memcpy_s",    "bare_loop_s", "starts",   "least_s",
                                "spread",       "speed_up",         "pinned",      "why_not",     "packets"});
    for (const BenchCell& cell : bench.cells) {
        const Experiment& e = cell.task.experiment;
        const bool known = cell.task.algorithm != nullptr;
        std::vector<std::string> fields = {known ? cell.task.name() : "",
                                           std::string(name(e.collective.operation)),
                                           known ? std::string(cell.task.algorithm->name) : "",
                                           e.topology().spec(),
                                           fmt::to_string(e.topology().nodes()),
                                           e.machine.ports.text(),
                                           fmt::to_string(e.collective.packet_bytes),
                                           std::string(cell.task.moved_by()),
                                           fmt::to_string(e.thread_count())};
        if (cell.measured) {
            const measure::Measurement& m = *cell.measured;
            const auto each = m.ns_a_message();
            for (const std::uint64_t count :
                 {m.metrics.rounds, m.metrics.path_sum, m.metrics.volume, m.metrics.transfers, m.metrics.bytes})
                fields.push_back(fmt::to_string(count));
            fields.push_back(fmt::to_string(m.task().timing.laps.size()));
            const chip::Statistics& seconds = m.task().seconds;
            fields.push_back(fmt::to_string(seconds.median));
            for (const double value : {seconds.low, seconds.high})
                fields.push_back(seconds.has_interval() ? fmt::to_string(value) : "");
            fields.push_back(each ? fmt::to_string(*each) : "");
            fields.push_back(fmt::to_string(m.bytes_a_second(m.task())));
            for (const char* yardstick : yardsticks) {
                const measure::Result* result = m.yardstick(yardstick);
                fields.push_back(result == nullptr ? "" : fmt::to_string(result->seconds.median));
            }
            fields.push_back(fmt::to_string(m.task().starts.size()));
            fields.push_back(fmt::to_string(m.task().seconds.least));
            fields.push_back(m.task().starts.size() < 2 ? "" : fmt::to_string(m.task().spread()));
            const auto times = speed_up(bench, cell);
            fields.push_back(times ? fmt::to_string(*times) : "");
            fields.emplace_back(m.why_not_pinned.empty() ? "true" : "false");
        }
        fields.resize(27);
        fields.push_back(cell.why_not);
        fields.push_back(fmt::to_string(e.collective.packets_each));
        csv += csv_line(fields);
    }
    return csv;
}

}  // namespace kport::cli
