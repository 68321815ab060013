/// @file show.cpp   kport show: who sends what to whom, round by round.
#include "app/cli/show.hpp"

#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "app/cli/commands.hpp"
#include "app/cli/experiment_of.hpp"
#include "app/cli/option_table.hpp"
#include "app/cli/output.hpp"
#include "app/cli/performed.hpp"
#include "app/cli/progress.hpp"
#include "app/cli/schedule_in.hpp"
#include "app/pictures/picture.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::cli {

namespace {

void draw_into(std::string_view option, const std::string& file, const PictureKind& kind, const Story& story,
               const PictureOptions& options) {
    const Meanwhile shown(fmt::format("{} is being drawn", story.title));
    write_file(option, file, [&](std::ostream& out) { draw(out, kind, story, options); });
}

std::string drawn(const PictureKind& kind, const Story& story, const PictureOptions& options) {
    const Meanwhile shown(fmt::format("{} is being drawn", story.title));
    std::ostringstream out;
    draw(out, kind, story, options);
    return std::move(out).str();
}

/// "2-4", "3", "5-".
void read_rounds(std::string_view text, PictureOptions& options) {
    if (text.find("..") != std::string_view::npos)
        throw RequestError(fmt::format("--rounds {}: want A-B, such as 2-4", quoted(text)));
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

/// A picture of no round is none.
void require_rounds_of(const Story& story, const Words& words, const PictureOptions& options) {
    const std::uint64_t rounds = story.verdict.metrics.rounds;
    if (words.has("--rounds") && options.first > rounds)
        throw RequestError(
            fmt::format("--rounds {}: there are {}", quoted(*words.get("--rounds")), counted(rounds, "round")));
}

PictureOptions picture_options(const Words& words) {
    PictureOptions options;
    options.width = width_of_stdout();
    if (const auto rounds = words.get("--rounds")) read_rounds(*rounds, options);
    return options;
}

/// By how its name ends; text where it has no ending.
const PictureKind& kind_of_file(std::string_view option, const std::string& file, std::string_view advice) {
    const std::string ending = std::filesystem::path(file).extension().string();
    if (ending.empty()) return picture_kinds().front();
    for (const PictureKind& kind : picture_kinds())
        if (kind.extension == ending) return kind;
    if (ending == ".png" || ending == ".pdf")
        throw RequestError(
            fmt::format("{} {}: kport draws no {}; write x.svg and convert it: rsvg-convert -f {} -o {} x.svg", option,
                        quoted(file), ending, ending.substr(1), as_shell_word(file)));
    throw RequestError(fmt::format("{} {}: no picture ends in {}; {}", option, quoted(file), quoted(ending), advice));
}

/// By --as, or by how the name of --output ends.
const PictureKind& kind_of(const Words& words) {
    if (const auto kind = words.get("--as")) return picture_kind_named(*kind);
    return kind_of_file("--output", words.get("--output").value_or(""), "--as KIND says which is meant");
}

const PictureKind& kind_of_picture(const std::string& file) {
    constexpr std::string_view wanted = "want .svg, .html, .dot or .txt";
    const PictureKind& kind = kind_of_file("--picture", file, wanted);
    if (kind.extension == ".json")
        throw RequestError(fmt::format("--picture {}: JSON is no picture; {}", quoted(file), wanted));
    return kind;
}

Story story_of_file(const Words& words, Ending& ending) {
    refuse_idle_options(words, "FILE");
    Submission submission = submission_in(*words.subject, words);
    refuse_options_without(words, submission.collective);
    const Outcome outcome = check(submission, true);
    ending = outcome.ending;
    return story_of(outcome.report, std::move(submission.schedule));
}

void tell_unmeasured(const Report& report) {
    if (!report.faults.empty() || report.engine.name != name(EngineKind::lockstep))
        complain("the trace has the rounds alone: what the threads did is measured in lockstep without a fault");
}

Story story_of_run(const Words& words, const PictureKind& kind, Ending& ending) {
    Experiment experiment = experiment_of(words);
    experiment.per_round = true;
    Performed run = performed(words, experiment, {.transfers = true, .phases = kind.measures});
    ending = run.outcome.ending;
    if (kind.measures) tell_unmeasured(run.outcome.report);
    Story story = story_of(run.outcome.report, std::move(run.moved));
    story.phases = std::move(run.phases);
    return story;
}

/// Gives the schedule back, which may be large.
Schedule recorded_in(const std::string& file, ToldSchedule told) {
    const Meanwhile shown(fmt::format("{} is being written", file));
    write_schedule_file("--record", file, told);
    return std::move(told.schedule);
}

/// Whether a schedule in a file is to be shown, and not a run of an operation.
bool shows_file(const Words& words) {
    const std::string word = words.subject.value_or("");
    if (word == "-" || word.find_first_of("./") != std::string::npos || std::filesystem::is_regular_file(word))
        return true;
    if (words.of) throw RequestError(fmt::format("{} is one word too many after {}", quoted(*words.of), quoted(word)));
    return false;
}

}  // namespace

bool wants_transfers(const Words& words) {
    require_place_of_picture(words);
    if (const auto file = words.get("--record")) require_place_of_schedule("--record", *file);
    if (const auto file = words.get("--trace")) require_place("--trace", *file);
    return words.has("--record") || words.has("--trace") || words.has("--picture");
}

std::string pictures_of(const Words& words, const Report& report, Schedule recorded, std::vector<PhaseTime> phases) {
    Story story = story_of(report, std::move(recorded));
    story.phases = std::move(phases);
    const PictureOptions options = picture_options(words);
    if (const auto file = words.get("--record"))
        story.schedule = recorded_in(
            *file, {report.machine.topology, story.collective, std::move(story.schedule), {}, report.machine});
    if (const auto file = words.get("--trace")) {
        tell_unmeasured(report);
        draw_into("--trace", *file, picture_kind_named("trace"), story, options);
    }
    return words.has("--picture") ? picture_of(words, story) : "";
}

void require_place_of_picture(const Words& words) {
    const std::optional<std::string> file = words.get("--picture");
    if (!file) return;
    if (file->empty() && words.has("--json"))
        throw RequestError(
            "--picture is text and --json is not; leave one of them out, or name a file: --picture x.svg");
    require_place("--picture", *file);
    (void)kind_of_picture(*file);
}

std::string picture_of(const Words& words, const Story& story) {
    const std::string file = *words.get("--picture");
    const PictureOptions options = picture_options(words);
    if (!file.empty()) {
        draw_into("--picture", file, kind_of_picture(file), story, options);
        return "";
    }
    const std::string picture = drawn(picture_kind_named("text"), story, options);
    return picture.substr(picture.find("\n\n") + 1);  // the report has said what it is
}

int show(const Words& words) {
    const PictureKind& kind = kind_of(words);
    const PictureOptions options = picture_options(words);
    const std::optional<std::string> output = words.get("--output");
    if (output) require_place("--output", *output);
    if (std::error_code none; output && words.subject && std::filesystem::equivalent(*output, *words.subject, none))
        throw RequestError(
            fmt::format("--output {}: is the schedule that is shown; want another file", quoted(*output)));
    Ending ending = Ending::lawful;
    const Story story = shows_file(words) ? story_of_file(words, ending) : story_of_run(words, kind, ending);
    require_rounds_of(story, words, options);
    if (output)
        draw_into("--output", *output, kind, story, options);
    else
        write_out(drawn(kind, story, options));
    return status_of(ending);
}

}  // namespace kport::cli
