/// @file compare.cpp   kport compare: every algorithm that applies, side by side, and why the others do not.
#include <algorithm>

#include <fmt/format.h>

#include "cli/admission.hpp"
#include "cli/commands.hpp"
#include "cli/execution.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "emulator/base/error.hpp"
#include "emulator/report/json_report.hpp"
#include "emulator/report/text_report.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

namespace {

struct Misfit {
    std::string_view algorithm;
    std::string why;
};

struct Comparison {
    std::vector<Report> reports;
    std::vector<Misfit> misfits;
    bool stopped = false;  ///< some algorithm was not run, or not to its end
};

Comparison compare_all(const Settings& s) {
    Comparison comparison;
    std::vector<const Algorithm*> fitting;
    for (const Algorithm& row : catalogue()) {
        if (row.operation != s.request.operation) continue;
        if (const auto why = misfit_of(row, s.machine, s.request, s.options))
            comparison.misfits.push_back({row.name, *why});
        else if (s.algorithm.empty() || s.algorithm == row.name)
            fitting.push_back(&row);
    }
    for (const Algorithm* row : fitting) require_fit(s, row);
    for (const Algorithm* row : fitting) {
        comparison.stopped = comparison.stopped || interrupted();
        if (comparison.stopped) break;
        comparison.reports.push_back(execute(s, *row));
        comparison.stopped = comparison.reports.back().stopped;
    }
    return comparison;
}

std::string ns_a_message(const Report& report) {
    const auto messages = static_cast<double>(report.verdict.metrics.transfers);
    return messages == 0 ? "-" : fmt::format("{:.0f}", report.engine.wall_seconds * 1e9 / messages);
}

/// A count, green where it is the bound's.
Cell cell(const Report& report, double measured, const BoundLine& bound) {
    return {number(measured), optimal(report, measured, bound) == true ? Tone::good : Tone::plain};
}

std::vector<Cell> row_of(const Report& report) {
    const Metrics& m = report.verdict.metrics;
    const BoundLines& b = report.bounds;
    return {{report.algorithm},
            cell(report, static_cast<double>(m.rounds), b.rounds),
            cell(report, static_cast<double>(m.work), b.work),
            cell(report, static_cast<double>(m.path_sum), b.path_sum),
            cell(report, static_cast<double>(m.volume), b.volume),
            cell(report, m.latency, b.latency),
            {ns_a_message(report)},
            verdict_text(report)};
}

std::vector<Cell> bounds_row(const BoundLines& b) {
    std::vector<Cell> cells = {{"(bound)"}};
    for (const BoundLine* line : {&b.rounds, &b.work, &b.path_sum, &b.volume, &b.latency})
        cells.push_back({line->value ? number(*line->value) : "-"});
    return cells;
}

std::string text_of(const Settings& s, const Comparison& comparison, const BoundLines& bounds) {
    using enum Table::Align;
    Table table({{"algorithm"},
                 {"rounds", right},
                 {"work", right},
                 {"path sum", right},
                 {"volume", right},
                 {"latency", right},
                 {"ns a message", right},
                 {"verdict"}});
    for (const Report& report : comparison.reports) table.row(row_of(report));
    table.row(bounds_row(bounds));
    std::string text = fmt::format("{}   {}\n\n{}", title(s.request.operation, s.root(), s.topology()),
                                   machine_line(s.machine, s.request.packet_bytes), table.text(paint_for_stdout()));
    if (comparison.misfits.empty()) return text;
    Table others({{"not here"}, {"because it"}});
    for (const Misfit& misfit : comparison.misfits) others.row({{std::string(misfit.algorithm)}, {misfit.why}});
    return text + "\n" + others.text(Paint(false));
}

Json json_of(const Settings& s, const Comparison& comparison, const BoundLines& bounds) {
    Json json;
    json["operation"] = name(s.request.operation);
    put_machine(json, s.machine, s.root(), s.request.packet_bytes);
    put_bounds(json, bounds);
    json["runs"] = Json::array();
    for (const Report& report : comparison.reports) {
        Json run;
        put_run(run, report);
        json["runs"].push_back(std::move(run));
    }
    json["not_applicable"] = Json::array();
    for (const Misfit& misfit : comparison.misfits)
        json["not_applicable"].push_back({{"algorithm", misfit.algorithm}, {"why", misfit.why}});
    json["stopped"] = comparison.stopped;
    return json;
}

/// Stopped before all else, then the worst of the runs.
int status_of_all(const Comparison& comparison) {
    int status = comparison.stopped ? status_stopped : status_lawful;
    for (const Report& report : comparison.reports) status = std::max<int>(status, status_of(report));
    return status;
}

}  // namespace

int compare(const Words& words) {
    const Settings settings = settings_of(words);
    require_algorithms(settings.request.operation);
    require_fit(settings, nullptr);
    if (!settings.algorithm.empty()) (void)chosen_algorithm(settings);  // says what is wrong with the name
    const Comparison comparison = compare_all(settings);
    const BoundLines bounds = bound_lines(lower_bounds(settings.machine, settings.request));
    write_out(settings.json ? json_text(json_of(settings, comparison, bounds)) : text_of(settings, comparison, bounds));
    if (comparison.reports.empty() && !comparison.stopped)
        throw RequestError(fmt::format("no algorithm of {} runs on {} ({})", name(settings.request.operation),
                                       settings.topology().spec(), settings.machine.describe()));
    return status_of_all(comparison);
}

}  // namespace kport::cli
