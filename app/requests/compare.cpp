/// @file compare.cpp   kport compare: every algorithm that applies, side by side, and why the others do not.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/requests/commands.hpp"
#include "app/requests/compared.hpp"
#include "app/requests/plots.hpp"
#include "app/requests/request.hpp"
#include "app/requests/several.hpp"
#include "app/session/choose.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/report.hpp"
#include "emulator/report/words.hpp"

namespace kport::requests {

namespace {

std::vector<Cell> row_of(const Report& report) {
    std::vector<Cell> cells = {{report.algorithm}};
    for (const QuantityRow& row : quantity_rows)
        cells.push_back(measured_cell(report, row.of(report.verdict.metrics), report.bounds[row.quantity]));
    cells.push_back({ns_a_message(report)});
    cells.push_back(verdict_text(report));
    return cells;
}

std::vector<Cell> row_of(const FailedRun& failure) {
    std::vector<Cell> cells = {{std::string(failure.algorithm)}};
    cells.insert(cells.end(), quantity_rows.size(), Cell{"-"});
    cells.emplace_back();
    cells.push_back({failure.why, Tone::bad});
    return cells;
}

std::vector<Cell> bounds_row(const BoundLines& bounds) {
    std::vector<Cell> cells = {{"(bound)"}};
    for (const BoundLine& line : bounds) cells.push_back({line.value ? grouped(*line.value) : "-"});
    return cells;
}

std::string text_of(const Comparison& comparison, const BoundLines& bounds, const Request& request) {
    using enum Table::Align;
    const Experiment& e = comparison.experiment;
    std::vector<Table::Column> columns = {{"algorithm"}};
    for (const QuantityRow& row : quantity_rows)
        columns.push_back({std::string(row.title), right, false, row.quantity == Quantity::rounds});
    columns.push_back({"ns a message", right, false, true});
    columns.push_back({"verdict"});
    Table table(std::move(columns));
    for (const Report& report : comparison.reports) table.row(row_of(report));
    for (const FailedRun& failure : comparison.failures) table.row(row_of(failure));
    table.row(bounds_row(bounds));
    const Paint& paint = request.client.paint;
    const std::size_t width = request.client.width;
    std::string text =
        fmt::format("{}\n{}", request_line(e.collective, e.root(), e.machine, width), table.text(paint, width));
    if (e.per_round)
        for (const Report& report : comparison.reports)
            text += fmt::format("\n{}, round by round\n\n{}", report.algorithm, rounds_table(report, paint, width));
    if (comparison.misfits.empty()) return text;
    Table others({{"not applicable"}, {"reason"}});
    for (const Misfit& misfit : comparison.misfits)
        others.row({{std::string(misfit.algorithm)}, {why_not_here(misfit)}});
    return text + "\n" + others.text(Paint(false), width);
}

Answer compare_on_one(Request& request, const Experiment& e) {
    const auto own = request.client.own_rows(request, {&e, 1});
    const Comparison comparison = kport::compare(e, request.client.caller(), own.get());
    const BoundLines bounds = bound_lines(kport::bounds(e));
    Answer answer{.status = status_of(comparison.ending)};
    answer.text = request.words.has("--json") ? request.document([&] { return comparison_json(comparison, bounds); })
                                              : text_of(comparison, bounds, request);
    if (comparison.fitting.empty() && comparison.failures.empty())
        put_failure(answer, request.client, std::make_exception_ptr(RequestError(no_algorithm_text(e))));
    return answer;
}

/// Throws RequestError where there is no matrix of machines, or a sheet has no room for it.
void require_matrix(const Variants& variants) {
    constexpr std::size_t machines_most = 500;
    if (variants.columns.empty())
        throw RequestError("--plot-as matrix: want several machines (--sweep 'mesh:{4,8}x{}'), or lists of values");
    if (variants.experiments.size() > machines_most)
        throw RequestError(fmt::format("--plot-as matrix: at most {} machines, these are {}", machines_most,
                                       variants.experiments.size()));
}

}  // namespace

Answer compare(Request& request) {
    const Words& words = request.words;
    if (words.has("--csv") && words.has("--json")) throw RequestError("--csv and --json: want one of them");
    Variants variants = variants_of(words);
    for (Experiment& experiment : variants.experiments) experiment.company = request.client.company();
    const Experiment& first = variants.experiments.front();
    if (const auto quantity = words.get("--plot-of")) {
        const QuantityRow& row = quantity_named(*quantity);
        if (!words.has("--plot")) throw RequestError("--plot-of: want --plot FILE.svg beside it");
        if (words.has("--message") && row.quantity != Quantity::latency)
            throw RequestError(fmt::format("--plot-of {}: of --message the latency alone is drawn", quoted(*quantity)));
    }
    if (const auto form = words.get("--plot-as")) {
        if (*form != "curves" && *form != "matrix" && *form != "map")
            throw RequestError(fmt::format("--plot-as {} is unknown (curves, matrix, map)", quoted(*form)));
        if (!words.has("--plot")) throw RequestError("--plot-as: want --plot FILE.svg beside it");
        if (words.has("--message")) throw RequestError("--plot-as: of --message the latency is drawn, as curves");
    }
    if (words.has("--plot-over")) {
        if (!words.has("--plot")) throw RequestError("--plot-over: want --plot FILE.svg beside it");
        if (words.has("--message")) throw RequestError("--plot-over: of --message the sizes are the axis");
        if (words.get("--plot-as").value_or("curves") != "curves")
            throw RequestError(fmt::format("--plot-over: a {} has no axis; leave one of --plot-over and --plot-as out",
                                           *words.get("--plot-as")));
    }
    if (words.has("--message")) {
        if (!variants.columns.empty())
            throw RequestError("--message: want one machine; --sweep and lists name several");
        return compare_on_sizes(request, first);
    }
    if (const auto plot = words.get("--plot")) {
        require_place_or_answer(*plot, request);
        const std::string form = words.get("--plot-as").value_or("curves");
        if (form == "matrix")
            require_matrix(variants);
        else if (form == "map")
            require_map(variants);
        else
            require_axis(words, variants);
    }
    if (variants.columns.empty() && !words.has("--csv")) return compare_on_one(request, first);
    if (first.per_round)
        throw RequestError("--per-round has no place in a table of machines; 'kport run' shows the rounds of one");
    return compare_on_many(request, variants);
}

}  // namespace kport::requests
