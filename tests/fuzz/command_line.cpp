#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/requests/command_line.hpp"
#include "app/requests/command_table.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/requests/several.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/terminal_text.hpp"
#include "tests/fuzz/targets.hpp"

namespace kport::fuzz {

namespace {

requests::Words words_of(std::string_view lines) {
    static auto reader = std::make_unique<requests::CommandLineReader>(usual_width);
    // A new reader costs as much as a thousand lines, and an old one grows, because CLI11 records the order of all options it
    // has read. The choice of a new reader must not depend on a property that a fuzzer can aim at, such as the text's length:
    // it would keep such texts for the paths that only they take.
    constexpr std::size_t now_and_then = 1021;
    std::vector<std::string> words = {"kport"};
    for (const std::string_view word : split(lines, '\n')) words.emplace_back(word.substr(0, word.find('\0')));
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    const int argc = static_cast<int>(argv.size());
    requests::Words read = reader->read(argc, argv.data());
    if (std::hash<std::string_view>{}(lines) % now_and_then == 0) {
        reader = std::make_unique<requests::CommandLineReader>(usual_width);
        expect(reader->read(argc, argv.data()) == read, "a reader forgets the line before");
    }
    return read;
}

}  // namespace

/// A word on each line.
void command_line(std::string_view text) {
    const requests::Words words = words_of(text);
    if (words.command == "compare" || words.command == "bench") {
        // A thousand machines take a thousand times as long and test nothing new.
        if (const auto sweep = words.get("--sweep")) (void)requests::swept(*sweep, 16);
        if (const auto bytes = words.get("--bytes"); bytes && requests::sizes_of(*bytes).size() > 16) return;
        expect(!requests::variants_of(words).experiments.empty(), "there is something to compare");
    } else if (words.command == "run" || words.command == "bounds" || words.command == "explain") {
        const Experiment experiment = requests::experiment_of(words);
        expect(experiment.collective.root < experiment.topology().nodes(), "the source is a node");
        expect(!again(experiment, "x").empty(), "a run can be repeated");
    } else if (words.command == "stress") {
        const requests::StressPlan plan = requests::stress_plan_of(words);
        expect(plan.options.seconds || plan.options.cases, "a stress ends");
        expect(!plan.options.seconds || *plan.options.seconds > 0, "a stress takes some time");
        expect(plan.options.nodes_max >= 1 && plan.options.trials.threads_max >= 1, "there is something to stress");
    } else {
        expect(!words.help.empty() || std::ranges::find(requests::all_commands(), words.command,
                                                        &requests::CommandInfo::name) != requests::all_commands().end(),
               "there are no other commands");
    }
}

}  // namespace kport::fuzz
