#include "app/pictures/picture.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/schedule_file.hpp"
#include "app/pictures/pixels.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {
namespace {

constexpr std::array kinds{
    PictureKind{"text", ".txt", "the rounds line by line, and small machines drawn with characters", write_text},
    PictureKind{"svg", ".svg", "the machine in each round, a panel a round", write_panels, 1024, 4000},
    PictureKind{"overview", ".svg", "the machine once, with the number of its round at each message", write_overview,
                1024, 4000},
    PictureKind{"animation", ".svg", "the rounds one after the other, without end", write_animation, 1024, 4000},
    PictureKind{"space-time", ".svg", "nodes from top to bottom, rounds from left to right", write_space_time, 1024,
                4000},
    PictureKind{"load", ".svg", "how many messages pass each link and node; large machines as a heat map", write_load},
    PictureKind{"holdings", ".svg", "who holds what: a row a node, a column a round", write_holdings, 1024},
    PictureKind{"critical-path", ".svg", "the messages that make the last receipt late", write_critical_path, 1024},
    PictureKind{.name = "bounds",
                .extension = ".svg",
                .about = "what the run costs beside each argument for a lower bound",
                .write = write_bounds,
                .argues = true},
    PictureKind{.name = "png",
                .extension = ".png",
                .about = "svg as pixels; other kinds of SVG where the name of the file ends in .png",
                .write = write_panels,
                .nodes_max = 1024,
                .transfers_max = 4000,
                .png = true},
    PictureKind{.name = "webp",
                .extension = ".webp",
                .about = "animation as pixels",
                .write = write_animation,
                .nodes_max = 1024,
                .transfers_max = 4000,
                .webp = true},
    PictureKind{"dot", ".dot", "for Graphviz: the machine, and the messages with their rounds", write_dot, 4096, 20000},
    PictureKind{"json", ".json", "the schedule, as kport reads it", write_json},
    PictureKind{.name = "trace",
                .extension = ".json",
                .about = "for ui.perfetto.dev: model time by node, measured time by thread",
                .write = write_trace,
                .measures = true},
    PictureKind{"html", ".html", "a page that plays the rounds; large machines as a heat map", write_player},
};

}  // namespace

void write_json(std::ostream& out, const Story& story, const PictureOptions& options) {
    Schedule some;
    const bool all = options.first <= 1 && options.last >= story.schedule.rounds();
    for (std::size_t i = 0; i < story.schedule.size() && !all; ++i)
        if (const Round round = story.schedule.round(i); round >= options.first && round <= options.last)
            some.add(round, story.schedule.transfer(i));
    write_schedule(out, all ? story.schedule : some, story.topology(), story.collective, story.machine);
}

std::span<const PictureKind> picture_kinds() { return kinds; }

const PictureKind& picture_kind_named(std::string_view word) {
    const auto found = std::ranges::find(kinds, word, &PictureKind::name);
    if (found != kinds.end()) return *found;
    std::vector<std::string_view> names;
    for (const PictureKind& kind : kinds) names.push_back(kind.name);
    throw RequestError(fmt::format(
        "no picture is called {}{} ({})", quoted(word),
        word == "pdf" ? std::string("; convert an SVG: rsvg-convert -f pdf -o x.pdf x.svg") : did_you_mean(word, names),
        fmt::join(names, ", ")));
}

std::span<const Step> shown(std::span<const Step> steps, const PictureOptions& options) {
    const auto first = std::ranges::lower_bound(steps, options.first, {}, &Step::round);
    const auto last = std::ranges::upper_bound(steps, options.last, {}, &Step::round);
    return {first, std::max(first, last)};
}

void draw(std::ostream& out, const PictureKind& kind, const Story& story, const PictureOptions& options) {
    const NodeId nodes = story.wires().nodes();
    if (nodes > kind.nodes_max)
        throw RequestError(
            fmt::format("a picture of the kind {} shows at most {} nodes, {} has {}; the kind html shows more",
                        kind.name, kind.nodes_max, story.topology().spec(), nodes));
    if (story.schedule.size() > kind.transfers_max) {
        std::size_t transfers = 0;
        const std::vector<Step> steps = steps_of(story);
        for (const Step& step : shown(steps, options)) transfers += step.transfers();
        if (transfers > kind.transfers_max)
            throw RequestError(
                fmt::format("a picture of the kind {} shows at most {}, these are {}; --rounds 1-3 shows some rounds, "
                            "--as html all",
                            kind.name, counted(kind.transfers_max, "message"), transfers));
    }
    const bool to_webp = kind.webp || options.webp;
    if (!kind.png && !options.png && !to_webp) return kind.write(out, story, options);
    std::ostringstream svg;
    kind.write(svg, story, options);
    out << (to_webp ? webp_of(svg.view(), options.pixels, frame_seconds) : png_of(svg.view(), options.pixels));
}

}  // namespace kport
