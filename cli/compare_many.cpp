#include "cli/compare_many.hpp"

#include <algorithm>
#include <exception>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands.hpp"
#include "cli/comparison.hpp"
#include "cli/csv.hpp"
#include "cli/document.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "emulator/base/error.hpp"
#include "emulator/report/text_report.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

namespace {

/// A machine, before or after its runs.
struct ComparedMachine {
    const Variant* variant;
    Comparison comparison;
};

struct Comparisons {
    const std::vector<std::string>& columns;
    std::vector<ComparedMachine> machines;
    bool stopped = false;
    std::exception_ptr failure;  ///< what ended a run and the others with it, to be told after the rows before it
};

/// The first machines, if it is interrupted.
Comparisons admitted(const Variants& variants, SignsOfLife& signs) {
    Comparisons all{variants.columns, {}, false, nullptr};
    for (const Variant& variant : variants.all) {
        if (interrupted()) break;
        if (signs.due())
            signs.show(fmt::format("looking at machine {} of {}", all.machines.size() + 1, variants.all.size()));
        all.machines.push_back({&variant, admitted(variant.settings)});
        if (all.machines.back().comparison.fitting.empty()) throw RequestError(no_algorithm_text(variant.settings));
    }
    return all;
}

/// What was not begun is taken out.
void run_all(Comparisons& all, SignsOfLife& signs, std::size_t machines) {
    std::size_t done = 0;
    for (ComparedMachine& compared : all.machines) {
        const auto tell = [&](const Algorithm& algorithm) {
            if (signs.due())
                signs.show(fmt::format("machine {} of {}: {} on {}", done + 1, machines, algorithm.name,
                                       compared.variant->settings.topology().spec()));
        };
        try {
            run_all(compared.comparison, tell);
        } catch (...) {
            all.failure = std::current_exception();
            break;
        }
        if (compared.comparison.stopped && interrupted()) break;
        ++done;
    }
    all.stopped = done < machines;
    if (!all.stopped) return;
    complain(fmt::format("stopped after {} of {} machines", done, machines));
    std::erase_if(all.machines, [](const ComparedMachine& compared) { return compared.comparison.reports.empty(); });
}

Comparisons with_runs(const Variants& variants) {
    SignsOfLife signs;
    Comparisons all = admitted(variants, signs);
    run_all(all, signs, variants.all.size());
    return all;
}

// ---- text -------------------------------------------------------------------------------------------------------------

/// The verdict of a lawful run in fewer words than beside a single machine: its row is wide.
Cell short_verdict(const Report& report) {
    return report.verdict.lawful() ? Cell{"all rules kept, all delivered", Tone::good} : verdict_text(report);
}

std::vector<Cell> row_of(const ComparedMachine& compared, const Report& report) {
    std::vector<Cell> cells;
    for (const std::string& value : compared.variant->values) cells.push_back({value});
    cells.push_back({report.algorithm});
    for (const QuantityRow& row : quantity_rows) {
        const BoundLine& bound = report.bounds[row.quantity];
        cells.push_back(measured_cell(report, row.of(report.verdict.metrics), bound));
        cells.push_back({bound.value ? number(*bound.value) : "-"});
    }
    cells.push_back({ns_a_message(report)});
    cells.push_back(short_verdict(report));
    return cells;
}

std::string table_of(const Comparisons& all, std::size_t width) {
    using enum Table::Align;
    std::vector<Table::Column> columns;
    for (const std::string& column : all.columns) columns.push_back({column});
    columns.push_back({"algorithm"});
    for (const QuantityRow& row : quantity_rows) {
        columns.push_back({std::string(row.title), right, false, row.quantity == Quantity::rounds});
        columns.push_back({"bound", right, true});
    }
    columns.push_back({"ns a message", right, false, true});
    columns.push_back({"verdict"});
    Table table(std::move(columns), all.columns.size() + 1);
    for (const ComparedMachine& compared : all.machines)
        for (const Report& report : compared.comparison.reports) table.row(row_of(compared, report));
    return table.text(paint_for_stdout(), width);
}

// ---- CSV --------------------------------------------------------------------------------------------------------------

/// The same columns whatever varies, so that tables can be put one below the other.
std::string csv_heading() {
    std::vector<std::string> fields = {"operation", "topology",  "nodes",  "channels", "ports",  "duplex",
                                       "switching", "combining", "policy", "keep",     "source", "packet_bytes",
                                       "ts",        "td",        "tm",     "algorithm"};
    for (const QuantityRow& row : quantity_rows) {
        fields.emplace_back(row.key);
        fields.push_back(fmt::format("{}_bound", row.key));
    }
    for (const char* last : {"transfers", "wall_seconds", "lawful", "links", "pairwise", "noho", "verdict"})
        fields.emplace_back(last);
    return csv_line(fields);
}

std::string text_of(const std::optional<Keep>& keep) {
    if (!keep) return "";
    return *keep == Keep::smaller ? "smaller" : "greater";
}

std::string csv_row(const Settings& s, const Report& report) {
    const Machine& machine = s.machine;
    const Topology& topology = s.topology();
    std::vector<std::string> fields = {std::string(name(s.collective.operation)),
                                       topology.spec(),
                                       fmt::to_string(topology.nodes()),
                                       fmt::to_string(topology.channels()),
                                       machine.ports.text(),
                                       text(machine.duplex),
                                       text(machine.switching),
                                       machine.combining ? "on" : "off",
                                       text(machine.policy),
                                       text_of(s.options.keep),
                                       s.root() ? fmt::to_string(*s.root()) : "",
                                       fmt::to_string(s.collective.packet_bytes),
                                       fmt::to_string(machine.costs.startup),
                                       fmt::to_string(machine.costs.hop),
                                       fmt::to_string(machine.costs.byte),
                                       report.algorithm};
    for (const QuantityRow& row : quantity_rows) {
        const BoundLine& bound = report.bounds[row.quantity];
        fields.push_back(number(row.of(report.verdict.metrics)));
        fields.push_back(bound.value ? number(*bound.value) : "");
    }
    fields.push_back(fmt::to_string(report.verdict.metrics.transfers));
    fields.push_back(fmt::to_string(report.engine.wall_seconds));
    fields.emplace_back(report.verdict.lawful() ? "true" : "false");
    fields.push_back(text(machine.links));
    fields.emplace_back(machine.pairwise ? "true" : "false");
    fields.push_back(text(machine.noho));
    fields.push_back(verdict_text(report).text);
    return csv_line(fields);
}

std::string csv_of(const Comparisons& all) {
    std::string csv = csv_heading();
    for (const ComparedMachine& compared : all.machines)
        for (const Report& report : compared.comparison.reports) csv += csv_row(compared.comparison.settings, report);
    return csv;
}

// ---- JSON -------------------------------------------------------------------------------------------------------------

Json json_of(const Comparisons& all, const Operation& operation) {
    Json json;
    json["operation"] = name(operation);
    json["varies"] = all.columns;
    json["machines"] = Json::array();
    for (const ComparedMachine& compared : all.machines) {
        Json machine;
        for (std::size_t i = 0; i < all.columns.size(); ++i)
            machine["varied"][all.columns[i]] = compared.variant->values[i];
        machine.update(json_of(compared.comparison, compared.comparison.reports.front().bounds));
        json["machines"].push_back(std::move(machine));
    }
    json["stopped"] = all.stopped;
    return json;
}

}  // namespace

int compare_on_many(const Words& words, const Variants& variants) {
    const Comparisons all = with_runs(variants);
    const std::size_t width = width_of_stdout();
    const Settings& first = variants.all.front().settings;
    if (words.has("--csv"))
        write_out(csv_of(all));
    else if (first.json)
        write_out(document([&] { return json_of(all, first.collective.operation); }));
    else
        write_out(fmt::format("{}\n\n{}", wrapped(common_line(words, variants, "machine"), 8, width, Break::phrases),
                              table_of(all, width)));
    if (all.failure) std::rethrow_exception(all.failure);
    int status = all.stopped ? status_stopped : status_lawful;
    for (const ComparedMachine& compared : all.machines) status = std::max(status, status_of_all(compared.comparison));
    return status;
}

}  // namespace kport::cli
