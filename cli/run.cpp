/// @file run.cpp   kport run: one algorithm, audited, beside the bounds.
#include <fmt/format.h>

#include "cli/admission.hpp"
#include "cli/bench_cells.hpp"
#include "cli/calibrate.hpp"
#include "cli/commands.hpp"
#include "cli/document.hpp"
#include "cli/execution.hpp"
#include "cli/output.hpp"
#include "emulator/report/text_report.hpp"
#include "emulator/report/words.hpp"
#include "files/json_report.hpp"

namespace kport::cli {

Status status_of(const Report& report) {
    if (report.stopped) return status_stopped;
    return report.verdict.lawful() ? status_lawful : status_broken;
}

namespace {

/// The line on the choice: of the algorithm if there were several, and of a root for which nobody asked.
std::string told_choice(const Words& words, const Settings& s, const Chosen& chosen) {
    const bool several = chosen.choice && chosen.choice->candidates.size() > 1;
    std::string reason = several ? chosen.choice->reason() : "";
    const auto better =
        words.has("--source") ? std::nullopt : better_root(*chosen.algorithm, s.machine, s.collective, s.options);
    if (!better) return reason;
    return fmt::format("{}{}root {} by default: {}; through node {} (--source {}) it would cost {}", reason,
                       several ? "; " : "", s.collective.root, number(better->latency_now),
                       s.topology().name(better->root), better->root, number(better->latency));
}

}  // namespace

int run(const Words& words) {
    Settings settings = settings_of(words);
    require_algorithms(settings.collective.operation);
    require_fit(settings, nullptr);  // the choice of an algorithm may build tables of the machine's size
    const Chosen chosen = chosen_algorithm(settings);
    const Algorithm& algorithm = *chosen.algorithm;
    settings.options = chosen.options;
    const std::optional<std::string> calibrated = words.get("--calibrated");
    if (calibrated) {
        require_calibration(settings, algorithm, calibration_file(*calibrated));
        keep_memory();
    }
    Report report = execute(settings, algorithm);
    report.chosen = told_choice(words, settings, chosen);
    // Where lockstep had to run it the prices are others.
    if (calibrated && report.verdict.lawful() && report.engine.name == name(settings.engine))
        report.prediction = predicted(report, settings, algorithm, calibration_file(*calibrated));
    write_out(settings.json ? document([&] { return json_report(report); })
                            : text_report(report, paint_for_stdout(), width_of_stdout()));
    // Who asks for the first rounds alone wants to know what is broken in them.
    if (report.stopped && settings.until != 0 && report.verdict.violation_count != 0) return status_broken;
    return status_of(report);
}

}  // namespace kport::cli
