/// @file show.cpp   kport show: who sends what to whom, round by round.
#include "cli/show.hpp"

#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "cli/attended.hpp"
#include "cli/commands.hpp"
#include "cli/experiment_of.hpp"
#include "cli/output.hpp"
#include "cli/schedule_in.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "pictures/picture.hpp"

namespace kport::cli {

namespace {

std::string drawn(const PictureKind& kind, const Story& story, const PictureOptions& options) {
    std::ostringstream out;
    draw(out, kind, story, options);
    return std::move(out).str();
}

void require_folder_of(std::string_view option, const std::string& file) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
        throw RequestError(fmt::format("{} {}: there is no folder {}", option, quoted(file), quoted(folder.string())));
}

/// "2-4", "3", "5-".
void read_rounds(std::string_view text, PictureOptions& options) {
    const std::size_t dash = text.find('-');
    const auto number = [](std::string_view word) {
        return static_cast<Round>(parse_count(word, "--rounds", 1, ~Round{0} - 1));
    };
    options.first = number(text.substr(0, dash));
    if (dash == std::string_view::npos)
        options.last = options.first;
    else if (dash + 1 < text.size())
        options.last = number(text.substr(dash + 1));
    if (options.last < options.first)
        throw RequestError(fmt::format("--rounds {}: the last round is before the first", quoted(text)));
}

PictureOptions picture_options(const Words& words) {
    PictureOptions options;
    options.width = width_of_stdout();
    if (const auto rounds = words.get("--rounds")) read_rounds(*rounds, options);
    return options;
}

/// By --as, or by how the name of --output ends.
const PictureKind& kind_of(const Words& words) {
    if (const auto kind = words.get("--as")) return picture_kind_named(*kind);
    const std::string ending = std::filesystem::path(words.get("--output").value_or("")).extension().string();
    if (ending.empty()) return picture_kinds().front();
    for (const PictureKind& kind : picture_kinds())
        if (kind.extension == ending) return kind;
    throw RequestError(fmt::format("--output {}: no picture ends in {}; --as KIND says which is meant",
                                   quoted(*words.get("--output")), quoted(ending)));
}

Story story_of_file(const Words& words, Ending& ending) {
    Submission submission = submission_in(*words.subject, schedule_context_of(words));
    const Outcome outcome = check(submission, true);
    ending = outcome.ending;
    return story_of(outcome.report, std::move(submission.schedule));
}

Story story_of_run(const Words& words, Ending& ending) {
    Experiment experiment = experiment_of(words);
    experiment.per_round = true;
    Attended attended;
    Caller caller = attended.caller();
    Schedule recorded;
    caller.record = &recorded;
    const Outcome outcome = kport::run(planned(experiment), caller);
    ending = outcome.ending;
    return story_of(outcome.report, std::move(recorded));
}

bool is_file(const std::string& word) {
    return word == "-" || word.find_first_of("./") != std::string::npos || std::filesystem::is_regular_file(word);
}

}  // namespace

bool wants_transfers(const Words& words) {
    if (words.has("--picture") && words.has("--json"))
        throw RequestError("--picture is text and --json is not; leave one of them out");
    for (const char* option : {"--record", "--trace"})
        if (const auto file = words.get(option)) require_folder_of(option, *file);
    return words.has("--record") || words.has("--trace") || words.has("--picture");
}

std::string pictures_of(const Words& words, const Report& report, Schedule recorded) {
    const Story story = story_of(report, std::move(recorded));
    const PictureOptions options = picture_options(words);
    if (const auto file = words.get("--record"))
        write_file("--record", *file, drawn(picture_kind_named("json"), story, options));
    if (const auto file = words.get("--trace"))
        write_file("--trace", *file, drawn(picture_kind_named("trace"), story, options));
    if (!words.has("--picture")) return "";
    const std::string text = drawn(picture_kind_named("text"), story, options);
    return text.substr(text.find("\n\n") + 1);  // the report has said what it is
}

int show(const Words& words) {
    const PictureKind& kind = kind_of(words);
    const PictureOptions options = picture_options(words);
    const std::optional<std::string> output = words.get("--output");
    if (output) require_folder_of("--output", *output);
    Ending ending = Ending::lawful;
    const Story story =
        words.subject && is_file(*words.subject) ? story_of_file(words, ending) : story_of_run(words, ending);
    std::string picture = drawn(kind, story, options);
    if (output)
        write_file("--output", *output, picture);
    else
        write_out(picture);
    return status_of(ending);
}

}  // namespace kport::cli
