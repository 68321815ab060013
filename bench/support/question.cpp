#include "bench/support/question.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/support/fresh_process.hpp"

namespace kport::bench {

namespace {

struct Settings {
    int turns = tiny() ? 1 : 7;
    bool cpu_clock = false;
    bool large = false;
    std::string only;
};

/// Small runs are repeated and the fastest counts: in a fresh process the first run of a small machine measures the loading
/// of the program. Large ones run once: their first touch of memory belongs to their cost.
Outcome repeated(const std::function<Outcome()>& run) {
    Outcome best = run();
    std::uint64_t messages = best.messages;
    const std::uint64_t enough = tiny() ? 1'000 : 200'000;
    constexpr double long_enough_ns = 50e6;
    double spent_ns = best.wall_ns;
    while (best.right && messages < enough && spent_ns < long_enough_ns) {
        const Outcome again = run();
        spent_ns += again.wall_ns;
        messages += std::max<std::uint64_t>(again.messages, 1);
        if (!again.right || again.wall_ns < best.wall_ns) best = again;
    }
    return best;
}

std::string run_name(const Question& question, const Row& row) { return question.title + " | " + row.label; }

/// All turns of a row.
struct Seen {
    std::vector<double> times;  ///< ns a message by the chosen clock
    double cpu = 0;             ///< the minimum ns of processor time a message
    double bytes_a_node = 0;
    double gibibytes = 0;

    void add(const Outcome& outcome, bool cpu_clock) {
        const double cpu_now = outcome.cpu_ns_a_message();
        cpu = times.empty() ? cpu_now : std::min(cpu, cpu_now);
        times.push_back(cpu_clock ? cpu_now : outcome.ns_a_message());
        bytes_a_node = std::max(bytes_a_node, outcome.bytes_a_node());
        gibibytes = std::max(gibibytes, static_cast<double>(outcome.peak_bytes) / (1 << 30));
    }
    [[nodiscard]] double least() const { return *std::min_element(times.begin(), times.end()); }
    [[nodiscard]] double median() const {
        std::vector<double> sorted = times;
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2];
    }
};
using SeenByLabel = std::map<std::string, Seen>;

/// The goal and whether it is met, judged by the minimum times, which other load disturbs least.
std::string judged(const Goal& goal, const Seen& seen, const SeenByLabel& all) {
    if (tiny()) return "";  // the goals are for machines of full size
    const auto verdict = [](bool met) { return met ? "met" : "MISSED"; };
    switch (goal.kind) {
        case Goal::Kind::none: break;
        case Goal::Kind::times_other_at_most: {
            const double ratio = seen.least() / all.at(goal.other).least();
            return fmt::format("{:.2f} of {}, goal at most {}: {}", ratio, goal.other, goal.value,
                               verdict(ratio <= goal.value));
        }
        case Goal::Kind::speedup_at_least: {
            const double ratio = all.at(goal.other).least() / seen.least();
            return fmt::format("{:.{}f} times as fast as {}, goal at least {}: {}", ratio, ratio < 100 ? 2 : 0,
                               goal.other, goal.value, verdict(ratio >= goal.value));
        }
        case Goal::Kind::bytes_a_node_at_most:
            return fmt::format("goal at most {} bytes a node: {}", goal.value,
                               verdict(seen.bytes_a_node <= goal.value));
        case Goal::Kind::gibibytes_at_most:
            return fmt::format("{:.1f} GiB, goal at most {}: {}", seen.gibibytes, goal.value,
                               verdict(seen.gibibytes <= goal.value));
    }
    return "";
}

/// "1.23", or "-" where there is no such row.
std::string ratio_to(std::string_view prefix, const Seen& seen, const SeenByLabel& all) {
    double least = 0;
    for (const auto& [label, other] : all)
        if (label.starts_with(prefix)) least = least == 0 ? other.least() : std::min(least, other.least());
    return least == 0 ? "-" : fmt::format("{:.2f}", seen.least() / least);
}

void print_table(const Question& question, const SeenByLabel& all, const Settings& settings) {
    fmt::print("\n{}\n  {:<28}{:>11}{:>11}{:>11}{:>13}{:>9}{:>9}  {}\n", question.title, "",
               settings.cpu_clock ? "cpu min" : "ns min", "median", "cpu ns", "/coroutines", "/loop", "B/node", "goal");
    for (const Row& row : question.rows) {
        const Seen& seen = all.at(row.label);
        fmt::print("  {:<28}{:>11.1f}{:>11.1f}{:>11.1f}{:>13}{:>9}{:>9.1f}  {}\n", row.label, seen.least(),
                   seen.median(), seen.cpu, ratio_to("bare coroutines", seen, all), ratio_to("bare loop", seen, all),
                   seen.bytes_a_node, judged(row.goal, seen, all));
    }
    std::fflush(stdout);
}

bool ask(const Question& question, const Settings& settings) {
    SeenByLabel all;
    for (int turn = 0; turn < std::min(settings.turns, question.turns_max); ++turn)
        for (const Row& row : question.rows) {
            const std::optional<Outcome> outcome = run_in_fresh_process(run_name(question, row));
            if (!outcome || !outcome->right) {
                fmt::print(stderr, "{}: {}\n", run_name(question, row), outcome ? "the result is wrong" : "failed");
                return false;
            }
            all[row.label].add(*outcome, settings.cpu_clock);
        }
    print_table(question, all, settings);
    return true;
}

std::string load_average() {
    std::ifstream file("/proc/loadavg");
    std::string first;
    file >> first;
    return first;
}

int main_of_child(const std::string& name, const std::vector<Question>& questions) {
    for (const Question& question : questions)
        for (const Row& row : question.rows)
            if (run_name(question, row) == name) {
                print_outcome(row.once ? row.run() : repeated(row.run));
                return 0;
            }
    return 1;
}

}  // namespace

int ask_all(const std::vector<std::string>& arguments, const std::function<std::vector<Question>(bool)>& questions) {
    Settings settings;
    std::string run;
    for (const std::string& argument : arguments) {
        const std::string value = argument.substr(std::min(argument.size(), argument.find('=') + 1));
        if (argument.starts_with("--turns="))
            settings.turns = std::max(1, std::atoi(value.c_str()));
        else if (argument == "--clock=cpu" || argument == "--clock=wall")
            settings.cpu_clock = value == "cpu";
        else if (argument == "--large")
            settings.large = true;
        else if (argument.starts_with("--only="))
            settings.only = value;
        else if (argument.starts_with("--run="))
            run = value;
        else {
            fmt::print(stderr, "do not know {}; there are --turns=N --clock=wall|cpu --large --only=TEXT\n", argument);
            return 2;
        }
    }
    if (!run.empty()) return main_of_child(run, questions(true));
    fmt::print("ns a message by {} time, whole runs in fresh processes, {} turns; load average {} at the start\n",
               settings.cpu_clock ? "processor" : "wall", settings.turns, load_average());
    bool all_right = true;
    for (const Question& question : questions(settings.large))
        if (question.title.find(settings.only) != std::string::npos) all_right = ask(question, settings) && all_right;
    fmt::print("\nload average {} at the end\n", load_average());
    return all_right ? 0 : 1;
}

}  // namespace kport::bench
