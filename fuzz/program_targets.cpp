#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/settings.hpp"
#include "cli/sizes.hpp"
#include "cli/sweep.hpp"
#include "cli/variants.hpp"
#include "emulator/base/nearest.hpp"
#include "fuzz/targets.hpp"
#include "measure/calibration_file.hpp"

namespace kport::fuzz {

namespace {

void sizes(std::string_view text) {
    const std::vector<std::uint64_t> all = cli::sizes_of(text);
    expect(!all.empty() && all.size() <= cli::sizes_max, "there are sizes, and not too many");
}

void sweep(std::string_view text) {
    const std::vector<std::string> all = cli::swept(text);
    expect(!all.empty() && all.size() <= cli::machines_max, "there are machines, and not too many");
    expect(std::ranges::none_of(all, [](const std::string& spec) { return spec.find_first_of("{} ") != spec.npos; }),
           "no braces are left");
}

cli::Words words_of(std::string_view lines) {
    std::vector<std::string> words = {"kport"};
    for (const std::string_view word : split(lines, '\n')) words.emplace_back(word.substr(0, word.find('\0')));
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    return cli::read_command_line(static_cast<int>(argv.size()), argv.data());
}

/// A word on each line.
void command_line(std::string_view text) {
    const cli::Words words = words_of(text);
    if (words.command == "compare" || words.command == "bench") {
        // A thousand machines are understood a thousand times one after the other: slow, and nothing new.
        if (const auto swept = words.get("--sweep"); swept && cli::swept(*swept).size() > 16) return;
        if (const auto bytes = words.get("--bytes"); bytes && cli::sizes_of(*bytes).size() > 16) return;
        expect(!cli::variants_of(words).all.empty(), "there is something to compare");
    } else if (words.command == "run" || words.command == "bounds" || words.command == "explain") {
        const cli::Settings settings = cli::settings_of(words);
        expect(settings.request.root < settings.topology().nodes(), "the source is a node");
        expect(!cli::again(settings, "x").empty(), "a run can be repeated");
    } else {
        expect(words.command == "list" || words.command == "chip" || !words.help.empty(),
               "there are no other commands");
    }
}

void calibration(std::string_view text) {
    for (const measure::Calibrated& entry : measure::calibrations_in(text, "fuzzed")) {
        expect(entry.prices.of.size() == measure::priced_count, "a price, or none, for everything that has one");
        const std::vector<double> counts = measure::model_counts(1, 2, 3);
        (void)entry.prices.predict(counts);
        (void)entry.prices.beyond(counts);
        expect(entry.key.threads >= 1, "somebody works");
    }
}

constexpr std::array<Target, 4> all = {
    {{"sizes", sizes}, {"sweep", sweep}, {"command_line", command_line}, {"calibration", calibration}}};

}  // namespace

std::span<const Target> program_targets() { return all; }

}  // namespace kport::fuzz
