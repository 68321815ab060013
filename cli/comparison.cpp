#include "cli/comparison.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/admission.hpp"
#include "cli/commands.hpp"
#include "cli/execution.hpp"
#include "cli/interrupt.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

Comparison admitted(const Settings& s) {
    require_fit(s, nullptr);
    require_known_options(s);
    Comparison comparison;
    comparison.settings = s;
    for (const Algorithm& row : catalogue()) {
        if (row.operation != s.collective.operation) continue;
        const bool named = s.algorithm == row.name;
        if (const auto why = misfit_of(row, s.machine, s.collective, s.options))
            comparison.misfits.push_back({row.name, *why});
        else if (const auto rule = row.breaks == nullptr || named ? std::nullopt : row.breaks(s.machine))
            comparison.misfits.push_back({row.name, fmt::format("{} (--algorithm {} runs it)", *rule, row.name)});
        else if (s.algorithm.empty() || named)
            comparison.fitting.push_back(&row);
    }
    for (const Algorithm* row : comparison.fitting) require_fit(s, row);
    return comparison;
}

void run_all(Comparison& comparison, const std::function<void(const Algorithm&)>& before) {
    for (const Algorithm* row : comparison.fitting) {
        if (interrupted()) {
            comparison.stopped = true;
            break;
        }
        before(*row);
        comparison.reports.push_back(execute(comparison.settings, *row));
        comparison.stopped = comparison.stopped || comparison.reports.back().stopped;
    }
}

std::string no_algorithm_text(const Settings& s) {
    return fmt::format("no algorithm of {} runs on {} ({}{})", name(s.collective.operation), s.topology().spec(),
                       s.machine.describe(), s.machine.combining ? "" : ", noncombining");
}

int status_of_all(const Comparison& comparison) {
    int status = comparison.stopped ? status_stopped : status_lawful;
    for (const Report& report : comparison.reports) status = std::max<int>(status, status_of(report));
    return status;
}

Cell measured_cell(const Report& report, double measured, const BoundLine& bound) {
    return {number(measured), optimal(report, measured, bound) == true ? Tone::good : Tone::plain};
}

std::string ns_a_message(const Report& report) {
    const auto messages = static_cast<double>(report.verdict.metrics.transfers);
    return messages == 0 ? "-" : fmt::format("{:.0f}", report.engine.seconds() * 1e9 / messages);
}

Json json_of(const Comparison& comparison, const BoundLines& bounds) {
    const Settings& s = comparison.settings;
    Json json;
    json["operation"] = name(s.collective.operation);
    put_machine(json, s.machine, s.root(), s.collective.packet_bytes);
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

}  // namespace kport::cli
