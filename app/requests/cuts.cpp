#include "app/requests/cuts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/pictures/story.hpp"
#include "app/requests/plots.hpp"
#include "app/requests/several.hpp"
#include "app/requests/texts.hpp"
#include "emulator/base/error.hpp"
#include "emulator/report/table.hpp"
#include "emulator/report/terminal_text.hpp"
#include "emulator/report/words.hpp"

namespace kport::requests {

namespace {

using plots::size_label;

std::string bound_text(const std::optional<double>& value) { return value ? grouped(*value) : "-"; }

/// At one packet, at the best cut, at the powers of two that cost at most eight times as much, and at the finest cut.
bool is_shown(const CutMessage& cut, const CutCurve& curve) {
    const CutMessage& best = curve.best;
    if (cut.packets == 1 || cut.packets == best.packets || cut.packets == curve.cuts.back().packets) return true;
    return std::has_single_bit(cut.packets) && cut.predicted.latency <= 8 * best.predicted.latency;
}

/// Those of a curve that are drawn. Where fewer packets of the same size hold the message the last ones are empty: a line through
/// such cuts would leap. Near the best one many are looked at: of those close together one is drawn.
std::vector<const CutMessage*> drawn_cuts(const CutCurve& curve, std::uint64_t bytes) {
    constexpr double apart = 1.3;
    const auto are_close = [](std::uint64_t a, std::uint64_t b) {
        return static_cast<double>(std::max(a, b)) < apart * static_cast<double>(std::min(a, b));
    };
    const std::array anchors = {curve.cuts.front().packets, curve.best.packets, curve.cuts.back().packets};
    std::vector<const CutMessage*> drawn;
    for (const CutMessage& cut : curve.cuts) {
        const bool is_anchor = std::ranges::find(anchors, cut.packets) != anchors.end();
        const bool has_empty_packets = (cut.packets - 1) * cut.packet_bytes >= bytes;
        const auto is_close = [&](std::uint64_t other) { return are_close(cut.packets, other); };
        const bool is_crowded =
            std::ranges::any_of(anchors, is_close) || is_close(drawn.empty() ? 1 : drawn.back()->packets);
        if (is_anchor || (!has_empty_packets && !is_crowded)) drawn.push_back(&cut);
    }
    return drawn;
}

/// The lower bound by M: it is the same for all algorithms.
using BoundsOfCuts = std::map<std::uint64_t, std::optional<double>>;

BoundsOfCuts bounds_of_cuts(const Experiment& e, std::uint64_t bytes, const std::vector<CutCurve>& curves,
                            bool are_drawn) {
    BoundsOfCuts bounds;
    const auto add = [&](const CutMessage& cut) {
        if (!bounds.contains(cut.packets)) bounds[cut.packets] = bound_of_cut(e, bytes, cut.packets);
    };
    for (const CutMessage& cut : curves.front().cuts)
        if (is_shown(cut, curves.front())) add(cut);
    for (const CutCurve& curve : curves)
        for (const CutMessage* cut : drawn_cuts(curve, bytes))
            if (are_drawn) add(*cut);
    return bounds;
}

std::string table_over_cuts(const BoundsOfCuts& bounds, const CutCurve& curve, const Client& client) {
    using enum Table::Align;
    Table table({{"packets", right}, {"of", right}, {"rounds", right}, {"latency", right}, {"bound", right}, {""}});
    for (const CutMessage& cut : curve.cuts) {
        if (!is_shown(cut, curve)) continue;
        table.row({{fmt::to_string(cut.packets)},
                   {message_text(cut.packet_bytes)},
                   {fmt::to_string(cut.predicted.rounds)},
                   {grouped(cut.predicted.latency)},
                   {bound_text(bounds.at(cut.packets))},
                   {cut.packets == curve.best.packets ? "best" : ""}});
    }
    return table.text(client.paint, client.width);
}

std::string table_of_algorithms(const std::vector<CutCurve>& curves, std::size_t width) {
    using enum Table::Align;
    Table table({{"algorithm"}, {"best cut", right}, {"of", right}, {"latency", right}});
    for (const CutCurve& curve : curves)
        table.row({{std::string(curve.best.algorithm->name)},
                   {fmt::to_string(curve.best.packets)},
                   {message_text(curve.best.packet_bytes)},
                   {grouped(curve.best.predicted.latency)}});
    return table.text(Paint(false), width);
}

/// "M + 3 rounds of single packets cost ...": of a pipeline (model.md section 13.4).
std::string why_this_cut(const Experiment& e, std::uint64_t bytes, const SteadyRounds& rounds, std::size_t width) {
    const Costs& costs = e.machine.costs;
    const auto message = static_cast<double>(bytes);
    const std::string text = rounds.text();
    return "\n" +
           wrapped(fmt::format("{} rounds of single packets cost {} (ts + td + tm {} / M): least{} at M = "
                               "sqrt({} * {} tm / {}) = {:.1f}, and no less than {}",
                               text, rounds.more == 0 ? text : "(" + text + ")", bytes,
                               rounds.group == 1 ? "" : ", but for rounding,", rounds.waiting(), bytes,
                               rounds.step == 1 ? "(ts + td)" : fmt::format("({} (ts + td))", rounds.step),
                               rounds.best_packets(message, costs), grouped(rounds.least_latency(message, costs))),
                   0, width) +
           "\n";
}

/// About the best algorithm's rounds, where waiting for the first packets costs any: else more packets only cost more.
std::optional<SteadyRounds> formula_of(const Experiment& e, std::uint64_t bytes, const CutCurve& curve) {
    if (e.machine.prices != nullptr) return std::nullopt;  // rounds differ in price
    const std::optional<SteadyRounds> rounds = rounds_of_single_packets(e, bytes, curve);
    return rounds && rounds->waiting() > 0 ? rounds : std::nullopt;
}

std::string_view what_a_message_is(const Collective& collective) {
    if (collective.operation == Operation::broadcast) return "a message is what the source has";
    if (collective.operation == Operation::alltoall) return "a message is what one node has for another";
    if (collective.operation == Operation::reduce_scatter)
        return "a message is a block, and each node has one for each";
    if (collective.folds()) return "a message is the vector that each node has";
    if (collective.rooted())
        return collective.operation.inwards() ? "a message is what each node gives the root"
                                              : "a message is what each node gets of the root";
    return "a message is what each node has";
}

/// "two-tree up to M = 8192": those whose curve ends before the finest cut, though they run; else empty.
std::string early_ends(const std::vector<CutCurve>& curves) {
    std::vector<std::string> ends;
    for (const CutCurve& curve : curves)
        if (curve.ends_early)
            ends.push_back(fmt::format("{} up to M = {}", curve.best.algorithm->name, curve.cuts.back().packets));
    return fmt::to_string(fmt::join(ends, ", "));
}

/// Why the curves of some end; else empty.
std::string note_of_ends(const std::vector<CutCurve>& curves, std::size_t width) {
    const std::string ends = early_ends(curves);
    if (ends.empty()) return "";
    return wrapped(fmt::format("note    tried: {}; beyond, only longer rehearsals tell", ends), 8, width) + "\n";
}

Json json_of(const Experiment& e, std::uint64_t bytes, const BoundsOfCuts& bounds, const std::vector<CutCurve>& curves,
             const std::optional<SteadyRounds>& rounds) {
    const auto one = [](const CutMessage& cut) {
        return Json{{"packets", cut.packets},
                    {"packet_bytes", cut.packet_bytes},
                    {"latency", cut.predicted.latency},
                    {"rounds", cut.predicted.rounds},
                    {"exact", cut.predicted.grounds != Grounds::at_most}};
    };
    Json json = {{"bytes", bytes}, {"algorithms", Json::array()}};
    for (const CutCurve& curve : curves) {
        Json row = {{"algorithm", curve.best.algorithm->name}, {"best", one(curve.best)}, {"cuts", Json::array()}};
        for (const CutMessage& cut : curve.cuts) row["cuts"].push_back(one(cut));
        json["algorithms"].push_back(std::move(row));
    }
    const std::optional<double> bound = bounds.at(curves.front().best.packets);
    json["bound_at_best"] = bound ? Json(*bound) : Json(nullptr);
    if (rounds)
        json["formula"] = {{"rounds", rounds->text()},
                           {"packets", rounds->best_packets(static_cast<double>(bytes), e.machine.costs)},
                           {"latency", rounds->least_latency(static_cast<double>(bytes), e.machine.costs)}};
    return json;
}

std::string plot_over_cuts(const Experiment& e, std::uint64_t bytes, const BoundsOfCuts& bounds,
                           const std::vector<CutCurve>& curves) {
    plots::Plot plot = plot_of_latencies(e, plots::PlotAxis::count, "packets M");
    plot.title += fmt::format(", {} in M packets", message_text(bytes));
    plot.points = "predicted";
    plot.bounds = "lower bound, in M packets";
    if (const std::string ends = early_ends(curves); !ends.empty()) {
        plot.notes = {ends + ":", "beyond, only longer rehearsals tell"};
    }
    for (const CutCurve& curve : curves)
        for (const CutMessage* cut : drawn_cuts(curve, bytes))
            add_point(plot, static_cast<double>(cut->packets), *cut, bounds.at(cut->packets));
    return plots::svg_of(plot);
}

}  // namespace

std::string message_text(std::uint64_t bytes) {
    return bytes % 1024 == 0 ? size_label(static_cast<double>(bytes)) : fmt::format("{} B", bytes);
}

std::string heading_of_messages(const Experiment& e, std::size_t width) {
    const Costs& costs = e.machine.costs;
    const std::string how = fmt::format(
        "{}; predicted at ts = {}, td = {}, tm = {}; {}; for each algorithm the cheapest cut that was tried",
        machine_line(e.machine), number(costs.startup), number(costs.hop), number(costs.byte),
        what_a_message_is(e.collective));
    return fmt::format("{}\n{}\n", title(e.collective, e.root(), e.topology()), wrapped(how, 0, width));
}

std::string notes_of_cut(const Experiment& e, std::uint64_t bytes, const CutMessage& best, std::size_t width) {
    std::string notes;
    const auto add = [&](const std::string& note) {
        notes += (notes.empty() ? "\n" : "") + wrapped("note    " + note, 8, width) + "\n";
    };
    if (const auto why = why_uncut(e, bytes, best))
        add(fmt::format("{} does not run with M > 1: {}", best.algorithm->name, misfit_in_options(*why)));
    if (const auto cut = cheaper_without_bundles(e, bytes, best))
        add(
            fmt::format("with --combining off, a message of one packet each, {} takes {} in {} of {}: its packets "
                        "follow each other",
                        cut->algorithm->name, grouped(cut->predicted.latency), grouped_count(cut->packets, "packet"),
                        message_text(cut->packet_bytes)));
    return notes;
}

plots::Plot plot_of_latencies(const Experiment& e, plots::PlotAxis axis, const std::string& along) {
    plots::Plot plot;
    plot.title =
        without_folders(fmt::format("{}, {}-port", title(e.collective, e.root(), e.topology()), e.machine.ports.text()),
                        e.topology().spec());
    plot.axis = axis;
    plot.along = along;
    plot.up = latency_at(e.machine.costs);
    plot.seconds = false;
    plot.lines = "the same algorithm";
    plot.marks_crossings = true;
    return plot;
}

void add_point(plots::Plot& plot, double x, const CutMessage& cut, std::optional<double> bound) {
    const double latency = cut.predicted.latency;
    add_point(plot, std::string(cut.algorithm->name), {x, latency, latency, latency, latency, bound});
}

std::vector<std::uint64_t> message_sizes_of(const Words& words) {
    std::vector<std::uint64_t> sizes = sizes_of(*words.get("--message"), "--message");
    if (std::ranges::find(sizes, std::uint64_t{0}) != sizes.end())
        throw RequestError("--message 0: a message without bytes is not cut; want at least 1");
    return sizes;
}

Cuts cuts_of(Request& request, const Experiment& e) {
    const Words& words = request.words;
    const std::vector<std::uint64_t> sizes = message_sizes_of(words);
    if (sizes.size() > 1)
        throw RequestError(fmt::format("--message: explain takes one size, such as {}; 'kport compare' takes several",
                                       message_text(sizes.back())));
    const std::uint64_t bytes = sizes.front();
    const std::optional<std::string> plot = words.get("--plot");
    if (plot) require_place_or_answer(*plot, request);
    const auto shown = request.client.meanwhile(fmt::format("cuts of {} are compared", message_text(bytes)));
    const std::vector<CutCurve> curves = curves_over_cuts(e, bytes);
    const BoundsOfCuts bounds = bounds_of_cuts(e, bytes, curves, plot.has_value());
    const std::size_t width = request.client.width;
    const CutCurve& best = curves.front();
    const std::optional<SteadyRounds> rounds = formula_of(e, bytes, best);
    return {experiment_of_cut(e, best.best),
            fmt::format("{}\n{}{}\n{} over the number of packets\n\n{}{}{}\n", heading_of_messages(e, width),
                        table_of_algorithms(curves, width), note_of_ends(curves, width), best.best.algorithm->name,
                        table_over_cuts(bounds, best, request.client),
                        rounds ? why_this_cut(e, bytes, *rounds, width) : "", notes_of_cut(e, bytes, best.best, width)),
            json_of(e, bytes, bounds, curves, rounds), plot ? plot_over_cuts(e, bytes, bounds, curves) : ""};
}

}  // namespace kport::requests
