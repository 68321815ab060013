#include "app/requests/compared.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/requests/commands.hpp"
#include "app/requests/plots.hpp"
#include "app/requests/request.hpp"
#include "app/requests/texts.hpp"
#include "app/session/choose.hpp"
#include "emulator/report/report.hpp"
#include "emulator/report/words.hpp"

namespace kport::requests {

namespace {

/// Runs them all, with signs of life.
Comparisons compared(Request& request, const Variants& variants) {
    const auto own = request.client.own_rows(request, variants.experiments);
    const std::unique_ptr<Signs> signs = request.client.signs();
    const std::size_t machines = variants.experiments.size();
    Comparisons all = kport::compare(
        variants.experiments, request.client.caller(),
        [&](std::size_t experiment, const Algorithm* algorithm) {
            if (!signs->due()) return;
            const std::string number = fmt::format("machine {} of {}", experiment + 1, machines);
            signs->show(algorithm == nullptr ? "looking at " + number
                                             : fmt::format("{}: {} on {}", number, algorithm->name,
                                                           variants.experiments[experiment].topology().spec()));
        },
        own.get());
    if (all.stopped) request.client.warn(fmt::format("stopped after {} of {}", all.done, counted(machines, "machine")));
    return all;
}

// ---- text -------------------------------------------------------------------------------------------------------------

/// The verdict of a lawful run in fewer words than beside a single machine: its row is wide.
Cell short_verdict(const Report& report) {
    const Verdict& verdict = report.verdict;
    if (!verdict.lawful()) return verdict_text(report);
    const std::string counted = counted_text(verdict);
    return {counted.empty() ? "all rules kept, all delivered" : counted + ", all delivered", Tone::good};
}

std::vector<Cell> row_of(const std::vector<std::string>& values, const Report& report) {
    std::vector<Cell> cells;
    for (const std::string& value : values) cells.push_back({value});
    cells.push_back({report.algorithm});
    for (const QuantityRow& row : quantity_rows) {
        const BoundLine& bound = report.bounds[row.quantity];
        cells.push_back(measured_cell(report, row.of(report.verdict.metrics), bound));
        cells.push_back({bound.value ? grouped(*bound.value) : "-"});
    }
    cells.push_back({ns_a_message(report)});
    cells.push_back(short_verdict(report));
    return cells;
}

std::vector<Cell> row_of(const std::vector<std::string>& values, const FailedRun& failure) {
    std::vector<Cell> cells;
    for (const std::string& value : values) cells.push_back({value});
    cells.push_back({std::string(failure.algorithm)});
    cells.insert(cells.end(), 2 * quantity_rows.size(), Cell{"-"});
    cells.emplace_back();
    cells.push_back({failure.why, Tone::bad});
    return cells;
}

std::string table_of(const Variants& variants, const Comparisons& all, const Request& request) {
    using enum Table::Align;
    std::vector<Table::Column> columns;
    for (const std::string& column : variants.columns) columns.push_back({column});
    columns.push_back({"algorithm"});
    for (const QuantityRow& row : quantity_rows) {
        columns.push_back({std::string(row.title), right, false, row.quantity == Quantity::rounds});
        columns.push_back({"bound", right, true});
    }
    columns.push_back({"ns a message", right, false, true});
    columns.push_back({"verdict"});
    Table table(std::move(columns), variants.columns.size() + 1);
    for (std::size_t i = 0; i < all.machines.size(); ++i) {
        for (const Report& report : all.machines[i].reports) table.row(row_of(variants.values[i], report));
        for (const FailedRun& failure : all.machines[i].failures) table.row(row_of(variants.values[i], failure));
    }
    return table.text(request.client.paint, request.client.width);
}

/// Whether --algorithm or --with names the algorithm.
bool is_asked_for(const Words& words, const Comparison& comparison, std::string_view algorithm) {
    return words.has("--algorithm") ||
           std::ranges::find(comparison.experiment.besides, algorithm) != comparison.experiment.besides.end();
}

/// Why algorithms that were asked for did not run on some machines; empty: all did.
std::string not_here(const Words& words, const Variants& variants, const Comparisons& all, std::size_t width) {
    std::vector<Table::Column> columns;
    for (const std::string& column : variants.columns) columns.push_back({column});
    columns.push_back({"not applicable"});
    columns.push_back({"reason"});
    Table table(std::move(columns));
    bool all_ran = true;
    for (std::size_t i = 0; i < all.machines.size(); ++i)
        for (const Misfit& misfit : all.machines[i].misfits) {
            if (!is_asked_for(words, all.machines[i], misfit.algorithm)) continue;
            std::vector<Cell> cells;
            for (const std::string& value : variants.values[i]) cells.push_back({value});
            cells.push_back({std::string(misfit.algorithm)});
            cells.push_back({why_not_here(misfit)});
            table.row(std::move(cells));
            all_ran = false;
        }
    return all_ran ? "" : "\n" + table.text(Paint(false), width);
}

/// CSV has no place for an algorithm that was asked for and runs on none of the machines.
void tell_what_ran_nowhere(Request& request, const Comparisons& all) {
    std::map<std::string_view, std::size_t> machines;
    for (const Comparison& comparison : all.machines)
        for (const Misfit& misfit : comparison.misfits)
            if (is_asked_for(request.words, comparison, misfit.algorithm) &&
                ++machines[misfit.algorithm] == all.machines.size())
                request.client.warn(
                    fmt::format("{} runs on none of the machines: it {}", misfit.algorithm, why_not_here(misfit)));
}

// ---- CSV --------------------------------------------------------------------------------------------------------------

/// The columns do not depend on what varies, so that tables can be put one below the other.
std::string csv_heading() {
    std::vector<std::string> fields = {"operation", "topology",  "nodes",  "channels", "ports",  "duplex",
                                       "switching", "combining", "policy", "keep",     "source", "packet_bytes",
                                       "ts",        "td",        "tm",     "algorithm"};
    for (const QuantityRow& row : quantity_rows) {
        fields.emplace_back(row.key);
        fields.push_back(fmt::format("{}_bound", row.key));
    }
    for (const char* last : {"transfers", "wall_seconds", "lawful", "links", "pairwise", "noho", "verdict",
                             "nodup_not_kept", "noho_not_kept", "packets"})
        fields.emplace_back(last);
    return csv_line(fields);
}

std::string text_of(const std::optional<Keep>& keep) {
    if (!keep) return "";
    return *keep == Keep::smaller ? "smaller" : "greater";
}

/// Empty where the rule is off.
std::string times_not_kept(const Verdict& verdict, Rule rule) {
    if (verdict.force(rule) == Force::off) return "";
    const auto counted = std::ranges::find(verdict.counted, rule, &Counted::rule);
    return fmt::to_string(counted == verdict.counted.end() ? verdict.count(rule) : counted->count);
}

/// The fields of a row before those that were measured.
std::vector<std::string> asked_for(const Experiment& e, std::string_view algorithm) {
    const Machine& machine = e.machine;
    const Topology& topology = e.topology();
    return {std::string(name(e.collective.operation)),
            topology.spec(),
            fmt::to_string(topology.nodes()),
            fmt::to_string(topology.channels()),
            machine.ports.text(),
            text(machine.duplex),
            text(machine.switching),
            machine.combining ? "on" : "off",
            text(machine.policy),
            text_of(e.options.keep),
            e.root() ? fmt::to_string(*e.root()) : "",
            fmt::to_string(e.collective.packet_bytes),
            fmt::to_string(machine.costs.startup),
            fmt::to_string(machine.costs.hop),
            fmt::to_string(machine.costs.byte),
            std::string(algorithm)};
}

/// The fields that follow the verdict's.
std::vector<std::string> rules_asked_for(const Machine& machine) {
    return {text(machine.links), machine.pairwise ? "true" : "false", text(machine.noho)};
}

std::string csv_row(const Experiment& e, const Report& report) {
    std::vector<std::string> fields = asked_for(e, report.algorithm);
    for (const QuantityRow& row : quantity_rows) {
        const BoundLine& bound = report.bounds[row.quantity];
        fields.push_back(number(row.of(report.verdict.metrics)));
        fields.push_back(bound.value ? number(*bound.value) : "");
    }
    fields.push_back(fmt::to_string(report.verdict.metrics.transfers));
    fields.push_back(report.reproducible ? "" : fmt::to_string(report.wall_seconds));
    fields.emplace_back(report.verdict.lawful() ? "true" : "false");
    std::ranges::copy(rules_asked_for(e.machine), std::back_inserter(fields));
    fields.push_back(verdict_text(report, Digits::plain).text);
    for (const Rule rule : {Rule::nodup, Rule::noho}) fields.push_back(times_not_kept(report.verdict, rule));
    fields.push_back(fmt::to_string(e.collective.packets_each));
    return csv_line(fields);
}

/// The row of a failed run: fields that were not measured are empty.
std::string csv_row(const Experiment& e, const FailedRun& failure) {
    std::vector<std::string> fields = asked_for(e, failure.algorithm);
    fields.insert(fields.end(), 2 * quantity_rows.size() + 2, "");
    fields.emplace_back("false");
    std::ranges::copy(rules_asked_for(e.machine), std::back_inserter(fields));
    fields.insert(fields.end(), {failure.why, "", "", fmt::to_string(e.collective.packets_each)});
    return csv_line(fields);
}

std::string csv_of(const Comparisons& all) {
    std::string csv = csv_heading();
    for (const Comparison& comparison : all.machines) {
        for (const Report& report : comparison.reports) csv += csv_row(comparison.experiment, report);
        for (const FailedRun& failure : comparison.failures) csv += csv_row(comparison.experiment, failure);
    }
    return csv;
}

// ---- JSON -------------------------------------------------------------------------------------------------------------

Json json_of(const Variants& variants, const Comparisons& all) {
    Json json;
    put_operation(json, variants.experiments.front().collective, variants.experiments.front().topology());
    json["varies"] = variants.columns;
    json["machines"] = Json::array();
    for (std::size_t i = 0; i < all.machines.size(); ++i) {
        const Comparison& comparison = all.machines[i];
        Json machine;
        for (std::size_t column = 0; column < variants.columns.size(); ++column)
            machine["varied"][variants.columns[column]] = variants.values[i][column];
        machine.update(comparison_json(comparison, comparison.reports.empty()
                                                       ? bound_lines(bounds(comparison.experiment))
                                                       : comparison.reports.front().bounds));
        json["machines"].push_back(std::move(machine));
    }
    json["stopped"] = all.stopped;
    return json;
}

// ---- pictures ---------------------------------------------------------------------------------------------------------

/// What --plot draws.
struct Drawing {
    std::optional<plots::Plot> curves;  ///< of --plot-as curves
    std::string svg;                    ///< empty where nothing is drawn
    std::string why_none;
};

Drawing drawing_of(const Words& words, const Variants& variants, const Comparisons& all) {
    Drawing drawing;
    if (!words.has("--plot")) return drawing;
    if (const std::string form = words.get("--plot-as").value_or("curves"); form != "curves") {
        drawing.svg = (form == "map" ? compare_map : compare_matrix)(words, variants, all).value_or("");
        if (drawing.svg.empty()) drawing.why_none = "--plot: nothing ran; nothing is drawn";
        return drawing;
    }
    drawing.curves = compare_curves(words, variants, all);
    if (drawing.curves)
        drawing.svg = plots::svg_of(*drawing.curves);
    else
        drawing.why_none = "--plot: no run kept all rules; nothing is drawn";
    return drawing;
}

}  // namespace

Answer compare_on_many(Request& request, const Variants& variants) {
    const Words& words = request.words;
    const Comparisons all = compared(request, variants);
    const std::size_t width = request.client.width;
    const Drawing drawing = drawing_of(words, variants, all);
    const auto draw = [&] {
        if (!drawing.why_none.empty()) request.client.warn(drawing.why_none);
        if (!drawing.svg.empty()) write_plot(request.client, *words.get("--plot"), drawing.svg);
    };
    Answer answer = answer_beside(
        draw,
        [&] {
            if (is_answer(words.get("--plot"))) return drawing.svg;
            if (words.has("--csv")) return csv_of(all);
            if (words.has("--json"))
                return request.document([&] {
                    Json json = json_of(variants, all);
                    if (drawing.curves) json["crossings"] = crossings_json(*drawing.curves);
                    return json;
                });
            return fmt::format("{}\n\n{}{}{}",
                               wrapped(common_line(words, variants, "machine"), 8, width, Break::phrases),
                               table_of(variants, all, request), not_here(words, variants, all, width),
                               drawing.curves ? crossings_text(*drawing.curves, width) : "");
        },
        status_of(all.ending));
    if (!answer.error.empty()) return answer;
    if (words.has("--csv")) tell_what_ran_nowhere(request, all);
    if (all.failure) put_failure(answer, request.client, all.failure);
    return answer;
}

}  // namespace kport::requests
