#include "app/cli/fresh_starts.hpp"

#include <malloc.h>

#include <map>

#include <fmt/format.h>

#include "app/cli/interrupt.hpp"
#include "app/cli/process.hpp"
#include "app/cli/progress.hpp"
#include "app/files/json_report.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::cli {

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
