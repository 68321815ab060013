/// @file show.cpp   kport show: who sends what to whom, round by round.
#include "app/requests/performed.hpp"

#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <boost/algorithm/string/predicate.hpp>

#include "algorithms/catalogue.hpp"
#include "app/pictures/picture.hpp"
#include "app/pictures/pixels.hpp"
#include "app/requests/command_table.hpp"
#include "app/requests/commands.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/requests/schedule_in.hpp"
#include "app/session/choose.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::requests {

namespace {

void draw_into(Client& client, std::string_view option, const std::string& file, const PictureKind& kind,
               const Story& story, const PictureOptions& options) {
    const auto shown = client.meanwhile(fmt::format("drawing {}", story.title));
    client.write_file(option, file, [&](std::ostream& out) { draw(out, kind, story, options); });
}

std::string drawn(Client& client, const PictureKind& kind, const Story& story, const PictureOptions& options) {
    const auto shown = client.meanwhile(fmt::format("drawing {}", story.title));
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

double shape_named(std::string_view word) {
    if (word == "page") return PictureOptions::paper;
    if (word == "slide") return PictureOptions::slide;
    throw RequestError(fmt::format("--shape {}: want page, or slide for 16:9", quoted(word)));
}

/// A picture of no round is none.
void require_rounds_of(const Story& story, const Words& words, const PictureOptions& options) {
    const std::uint64_t rounds = story.verdict.metrics.rounds;
    if (words.has("--rounds") && options.first > rounds)
        throw RequestError(fmt::format("--rounds {}: there {} {}", quoted(*words.get("--rounds")),
                                       rounds == 1 ? "is" : "are", counted(rounds, "round")));
}

PictureOptions picture_options(const Request& request) {
    PictureOptions options;
    options.width = request.client.width;
    if (const auto rounds = request.words.get("--rounds")) read_rounds(*rounds, options);
    if (const auto shape = request.words.get("--shape")) options.shape = shape_named(*shape);
    return options;
}

/// By how its name ends; text where it has no ending.
const PictureKind& kind_of_file(std::string_view option, const std::string& file, std::string_view advice) {
    const std::string ending = std::filesystem::path(file).extension().string();
    if (ending.empty()) return picture_kinds().front();
    for (const PictureKind& kind : picture_kinds())
        if (boost::iequals(kind.extension, ending)) return kind;
    if (boost::iequals(ending, ".pdf"))
        throw RequestError(
            fmt::format("{} {}: kport draws no .pdf; write x.svg and convert it: rsvg-convert -f pdf -o {} x.svg",
                        option, quoted(file), as_shell_word(file)));
    throw RequestError(fmt::format("{} {}: no picture ends in {}; {}", option, quoted(file), quoted(ending), advice));
}

/// By --as, or by how the name of --output ends.
const PictureKind& kind_of(const Words& words) {
    if (const auto kind = words.get("--as")) return picture_kind_named(*kind);
    return kind_of_file("--output", words.get("--output").value_or(""), "--as KIND says which is meant");
}

const PictureKind& kind_of_picture(const std::string& file) {
    constexpr std::string_view wanted = "want .svg, .png, .webp, .html, .dot or .txt";
    const PictureKind& kind = kind_of_file("--picture", file, wanted);
    if (kind.extension == ".json")
        throw RequestError(fmt::format("--picture {}: JSON is no picture; {}", quoted(file), wanted));
    if (kind.png) require_png();
    if (kind.webp) require_webp();
    return kind;
}

/// Reads whether a PNG or a WebP will be written, and how wide. Throws RequestError where none can be drawn.
void read_pixels(const Words& words, const PictureKind& kind, PictureOptions& options) {
    const std::optional<std::string> output = words.get("--output");
    const auto ends_in = [&](std::string_view ending) {
        return output && boost::iequals(std::filesystem::path(*output).extension().string(), ending);
    };
    const bool to_png = ends_in(".png");
    const bool to_webp = ends_in(".webp");
    if (to_webp && kind.name != "animation" && !kind.webp)
        throw RequestError(fmt::format("--output {}: {} becomes no WebP, which moves; want --as animation",
                                       quoted(*output), kind.name));
    if (to_png && !kind.png && kind.extension != ".svg")
        throw RequestError(fmt::format("--output {}: {} becomes no PNG; want an SVG kind, such as --as overview",
                                       quoted(*output), kind.name));
    options.png = kind.png || (to_png && kind.extension == ".svg");
    options.webp = kind.webp || to_webp;
    if (const auto width = words.get("--width")) {
        if (!options.png && !options.webp)
            throw RequestError(fmt::format("--width: {} has no pixels; want --output x.png", kind.name));
        options.pixels = parse_count(*width, "--width", pixels_width_least, pixels_width_most);
    }
    if (options.png && !output) throw RequestError("--as png: a PNG is no text; want --output x.png");
    if (options.webp && !output) throw RequestError("--as webp: a WebP is no text; want --output x.webp");
    if (options.png) require_png();
    if (options.webp) require_webp();
}

void add_arguments(Story& story, const Bounds& bounds) {
    for (const QuantityRow& row : quantity_rows)
        for (const Argument& argument : bounds[row.quantity].arguments)
            story.arguments[row.quantity].push_back({argument.name, argument.value, argument.source});
}

Story story_of_file(Request& request, const PictureKind& kind, Ending& ending) {
    const Words& words = request.words;
    refuse_idle_options(words, "FILE");
    Submission submission = submission_in(*words.subject, words, request);
    refuse_options_without(words, submission.collective);
    const Outcome outcome = check(submission, true);
    ending = outcome.ending;
    Story story = story_of(outcome.report, std::move(submission.schedule));
    if (kind.argues) add_arguments(story, reached_bounds(submission.machine, submission.collective));
    return story;
}

void tell_unmeasured(Client& client, const Report& report) {
    if (!report.faults.empty() || report.engine != EngineKind::lockstep)
        client.warn("the trace has the rounds alone: what the threads did is measured in lockstep without a fault");
}

Story story_of_run(Request& request, const PictureKind& kind, Ending& ending) {
    Experiment experiment = experiment_of(request.words);
    experiment.per_round = true;
    Performed run = performed(request, experiment, {.transfers = true, .phases = kind.measures});
    ending = run.outcome.ending;
    if (kind.measures) tell_unmeasured(request.client, run.outcome.report);
    Story story = story_of(run.outcome.report, std::move(run.moved));
    story.phases = std::move(run.phases);
    if (kind.argues) add_arguments(story, known_bounds(run.chosen.experiment));
    return story;
}

/// Gives the schedule back, which may be large.
Schedule recorded_in(Client& client, const std::string& file, ToldSchedule told) {
    const auto shown = client.meanwhile(fmt::format("{} is being written", file));
    write_schedule_file(client, "--record", file, told);
    return std::move(told.schedule);
}

/// Whether the request shows a schedule in a file, and not a run of an operation.
bool shows_file(const Request& request) {
    const Words& words = request.words;
    const std::string word = words.subject.value_or("");
    if (word == "-" || word.find_first_of("./") != std::string::npos ||
        (request.client.may_read(word) && std::filesystem::is_regular_file(word)))
        return true;
    if (words.of) throw RequestError(fmt::format("unexpected {} after {}", quoted(*words.of), quoted(word)));
    return false;
}

}  // namespace

bool wants_transfers(const Request& request) {
    const Words& words = request.words;
    require_place_of_picture(request);
    if (const auto file = words.get("--record")) require_place_of_schedule(request.client, "--record", *file);
    if (const auto file = words.get("--trace")) request.client.require_place("--trace", *file);
    return words.has("--record") || words.has("--trace") || words.has("--picture") || words.has("--hotspots");
}

std::string pictures_of(Request& request, const Report& report, Schedule recorded, std::vector<PhaseTime> phases) {
    const Words& words = request.words;
    Client& client = request.client;
    Story story = story_of(report, std::move(recorded));
    story.phases = std::move(phases);
    const PictureOptions options = picture_options(request);
    if (const auto file = words.get("--record"))
        story.schedule = recorded_in(client, *file,
                                     {.topology = story.machine.topology,
                                      .collective = story.collective,
                                      .schedule = std::move(story.schedule),
                                      .machine = story.machine,
                                      .options = recorded_options(words)});
    if (const auto file = words.get("--trace")) {
        tell_unmeasured(client, report);
        draw_into(client, "--trace", *file, picture_kind_named("trace"), story, options);
    }
    return words.has("--picture") ? picture_of(request, story) : "";
}

void require_place_of_picture(const Request& request) {
    const std::optional<std::string> file = request.words.get("--picture");
    if (!file) return;
    if (file->empty() && request.words.has("--json"))
        throw RequestError(
            "--picture is text and --json is not; leave one of them out, or name a file: --picture x.svg");
    if (!file->empty()) request.client.require_place("--picture", *file);
    (void)kind_of_picture(*file);
}

std::string picture_of(Request& request, const Story& story) {
    const std::string file = *request.words.get("--picture");
    const PictureOptions options = picture_options(request);
    if (!file.empty()) {
        draw_into(request.client, "--picture", file, kind_of_picture(file), story, options);
        return "";
    }
    const std::string picture = drawn(request.client, picture_kind_named("text"), story, options);
    return picture.substr(picture.find("\n\n") + 1);  // the report has said what it is
}

Answer show(Request& request) {
    const Words& words = request.words;
    const PictureKind& kind = kind_of(words);
    if (words.has("--shape") && kind.name != "svg" && kind.name != "png")
        throw RequestError(fmt::format("--shape: {} has none; want --as svg", kind.name));
    PictureOptions options = picture_options(request);
    read_pixels(words, kind, options);
    const std::optional<std::string> output = words.get("--output");
    if (output) request.client.require_place("--output", *output);
    if (std::error_code none; output && words.subject && std::filesystem::equivalent(*output, *words.subject, none))
        throw RequestError(
            fmt::format("--output {}: is the schedule that is shown; want another file", quoted(*output)));
    Ending ending = Ending::lawful;
    const Story story =
        shows_file(request) ? story_of_file(request, kind, ending) : story_of_run(request, kind, ending);
    require_rounds_of(story, words, options);
    if (!output) return {.status = status_of(ending), .text = drawn(request.client, kind, story, options)};
    draw_into(request.client, "--output", *output, kind, story, options);
    return {.status = status_of(ending)};
}

}  // namespace kport::requests
