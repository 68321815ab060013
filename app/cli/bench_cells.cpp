#include "app/cli/bench_cells.hpp"

#include <malloc.h>

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "app/cli/process.hpp"
#include "app/cli/progress.hpp"
#include "app/files/json_report.hpp"
#include "app/requests/texts.hpp"
#include "app/session/choose.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/report/report.hpp"

namespace kport::cli {

namespace {

/// Chooses the cell's algorithm. Throws DoesNotFit unless it can be run and measured beside its yardsticks.
void admit(measure::Task& task) {
    // First without the algorithm: to choose it may take tables of the machine's size.
    kport::admit(task.experiment, nullptr, measure::bytes_held(task));
    Chosen chosen = choose(task.experiment);
    task.experiment = std::move(chosen.experiment);
    task.algorithm = chosen.algorithm;
    kport::admit(task.experiment, task.algorithm, measure::besides_bytes(task));
}

/// Runs the cell once on an engine. Whether it may be measured.
bool audited(BenchCell& cell, EngineKind engine) {
    Chosen chosen{cell.task.experiment, cell.task.algorithm, std::nullopt, {}};
    chosen.experiment.engine = engine;
    Attended attended;
    cell.report = kport::run(chosen, attended.caller()).report;
    if (cell.report->stopped) return false;
    if (cell.report->engine != engine) {
        cell.status = status_wrong;
        cell.why_not = fmt::format("{}: {}; want --engine lockstep", cell.task.name(), text(cell.report->needs_rounds));
    } else if (!cell.report->verdict.lawful()) {
        cell.status = status_broken;
        cell.why_not =
            fmt::format("{}: {}; see '{}'", cell.task.name(), verdict_text(*cell.report).text, cell.report->again);
    }
    return cell.why_not.empty();
}

/// First in lockstep, whose verdict everything else is held against.
bool audited(BenchCell& cell) {
    return audited(cell, EngineKind::lockstep) &&
           (cell.task.experiment.engine == EngineKind::lockstep || audited(cell, cell.task.experiment.engine));
}

}  // namespace

void keep_memory() {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
}

Bench planned(const Words& words) {
    const Variants variants = variants_of(words);
    require_algorithms(variants.experiments.front().collective.operation);
    Bench bench{common_line(words, variants, "cell"), variants.columns, {}, false};
    for (std::size_t i = 0; i < variants.experiments.size(); ++i) {
        BenchCell cell;
        cell.task = {variants.experiments[i], nullptr, words.has("--replay")};
        cell.values = variants.values[i];
        try {
            admit(cell.task);
        } catch (const DoesNotFit& error) {
            if (variants.experiments.size() == 1) throw;
            cell.status = status_does_not_fit;
            cell.why_not = in_options(error.what());
        }
        bench.cells.push_back(std::move(cell));
    }
    return bench;
}

void measure_all(Bench& bench, std::uint64_t repetitions, double seconds) {
    SignsOfLife signs;
    std::size_t number = 0;
    for (BenchCell& cell : bench.cells) {
        ++number;
        if (!cell.why_not.empty()) continue;
        bench.stopped = bench.stopped || interrupted();
        if (bench.stopped) break;
        const auto tell = [&](std::uint64_t repetition) {
            if (signs.due())
                signs.show(fmt::format("cell {} of {}, repetition {}: {}", number, bench.cells.size(), repetition + 1,
                                       cell.task.name()));
        };
        tell(0);
        if (audited(cell))
            cell.measured = measure::measured(cell.task, cell.report->verdict.metrics,
                                              {repetitions, seconds, &interrupted(), tell});
        bench.stopped = interrupted();
    }
}

void tell_what_was_left_out(Bench& bench) {
    for (BenchCell& cell : bench.cells)
        if (bench.stopped && !cell.measured && cell.why_not.empty())
            cell.why_not = fmt::format("{}: stopped before it was measured", cell.task.name());
}

int status_of(const Bench& bench) {
    if (bench.stopped) return status_stopped;
    int status = status_lawful;
    for (const BenchCell& cell : bench.cells) status = std::max(status, cell.status);
    return status;
}

namespace {

/// The repetitions of one start, by the names of their rows; nothing of a start that was cut short or gave up.
std::map<std::string, std::vector<measure::Lap>> laps_in(const std::string& text) {
    std::map<std::string, std::vector<measure::Lap>> laps;
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || json["context"].value("stopped", true)) return laps;
    for (const Json& row : json["benchmarks"])
        if (row["run_type"] == "iteration")
            laps[row["name"]].push_back({row["real_time"].get<double>() * 1e-9, row["cpu_time"].get<double>() * 1e-9});
    return laps;
}

}  // namespace

Starts starts_of(const Words& words) {
    constexpr unsigned usual = 6;
    Starts starts;
    const auto given = words.get("--starts");
    if (given)
        starts.count = static_cast<unsigned>(parse_count(*given, "--starts", 1, 1000));
    else if (!words.has("--repetitions"))
        starts.count = usual;
    const auto seconds = words.get("--for");
    starts.seconds = seconds ? parse_seconds(*seconds, "--for") : 1.0 / starts.count;
    return starts;
}

std::vector<std::string> command_of_one_start(const Words& words, const Starts& starts) {
    std::vector<std::string> command = {"kport", "bench", words.subject.value_or("")};
    for (const auto& [option, value] : words.values) {
        bool not_its_affair = false;
        for (const std::string_view other : {"--csv", "--json", "--plot", "--calibrate", "--starts", "--for"})
            not_its_affair = not_its_affair || option == other;
        if (not_its_affair) continue;
        command.push_back(option);
        if (option == "--replay") continue;
        for (const std::string_view word : split(value, ' ')) command.emplace_back(word);
    }
    command.insert(command.end(), {"--json", "--starts", "1"});
    if (!words.has("--repetitions")) command.insert(command.end(), {"--for", fmt::format("{:.6f}s", starts.seconds)});
    return command;
}

void measure_in_fresh_starts(Bench& bench, const Words& words, const Starts& starts) {
    SignsOfLife signs;
    for (unsigned start = 2; start <= starts.count && !bench.stopped; ++start) {
        if (signs.due()) signs.show(fmt::format("start {} of {}", start, starts.count));
        malloc_trim(0);  // what this process keeps warm is not there for the next one
        const auto laps = laps_in(run_kport(command_of_one_start(words, starts)).out);
        bench.stopped = interrupted();
        for (BenchCell& cell : bench.cells) {
            if (!cell.measured) continue;
            for (measure::Result& result : cell.measured->results) {
                const bool task = &result == &cell.measured->results.front();
                const auto found = laps.find(task ? cell.measured->name
                                                  : fmt::format("{}/{}", cell.measured->name, result.timing.contender));
                if (found != laps.end()) result.add_start(found->second);
            }
        }
    }
}

}  // namespace kport::cli
