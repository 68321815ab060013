#include "cli/fresh_starts.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "files/json_report.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX asks for it, GNU declares it

namespace kport::cli {

namespace {

/// What the program writes to standard output; it is asked to end when this one is.
std::string output_of(std::vector<std::string> command) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw OutputError(std::string("no pipe: ") + std::strerror(errno), false);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int error = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    std::string text;
    std::array<char, 1 << 16> buffer{};
    bool asked = false;
    while (error == 0) {
        if (interrupted() && !std::exchange(asked, true)) kill(child, SIGTERM);
        pollfd ready{ends[0], POLLIN, 0};
        constexpr int milliseconds_between_looks = 100;
        if (poll(&ready, 1, milliseconds_between_looks) <= 0) continue;
        const ssize_t got = read(ends[0], buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    close(ends[0]);
    if (error != 0) throw OutputError(std::string("no further process: ") + std::strerror(error), false);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return text;
}

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
    for (const std::string& word : {std::string("--json"), std::string("--starts"), std::string("1"),
                                    std::string("--for"), fmt::format("{:.6f}s", starts.seconds)})
        command.push_back(word);
    return command;
}

void measure_in_fresh_starts(Bench& bench, const Words& words, const Starts& starts) {
    SignsOfLife signs;
    for (unsigned start = 2; start <= starts.count && !bench.stopped; ++start) {
        if (signs.due()) signs.show(fmt::format("start {} of {}", start, starts.count));
        malloc_trim(0);  // what this process keeps warm is not there for the next one
        const auto laps = laps_in(output_of(command_of_one_start(words, starts)));
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
