/// @file run.cpp   kport run: one algorithm, audited, beside the bounds.
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/cli/bench_cells.hpp"
#include "app/cli/calibrate.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/document.hpp"
#include "app/cli/experiment_of.hpp"
#include "app/cli/joined.hpp"
#include "app/cli/output.hpp"
#include "app/cli/performed.hpp"
#include "app/cli/show.hpp"
#include "app/files/json_report.hpp"
#include "emulator/base/error.hpp"
#include "emulator/report/text_report.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

namespace {

/// Besides the reason of the choice, that of a root for which nobody asked.
std::string told_choice(const Words& words, const Chosen& chosen) {
    const Experiment& e = chosen.experiment;
    std::string reason = chosen.reason();
    const auto better =
        words.has("--source") ? std::nullopt : better_root(*chosen.algorithm, e.machine, e.collective, e.options);
    if (!better) return reason;
    return fmt::format("{}{}root {} by default: {}; through node {} (--source {}) it would cost {}", reason,
                       reason.empty() ? "" : "; ", e.collective.root, number(better->latency_now),
                       e.topology().name(better->root), better->root, number(better->latency));
}

}  // namespace

int run(const Words& words) {
    Experiment experiment = experiment_of(words);
    experiment.company = company();
    const std::optional<std::string> calibrated = words.get("--calibrated");
    Wanted wanted;
    wanted.transfers = wants_transfers(words);
    wanted.phases = words.has("--trace");
    if (calibrated) {
        wanted.before = [&](const Chosen& chosen) {
            require_calibration(chosen, calibration_file(*calibrated));
            keep_memory();
        };
        wanted.prediction = [&](const Report& report, const Chosen& chosen) {
            // Where lockstep had to run it the prices are others.
            return report.engine.name == name(chosen.experiment.engine)
                       ? predicted(report, chosen, calibration_file(*calibrated))
                       : std::nullopt;
        };
    }
    Performed run = performed(words, experiment, wanted);
    Report& report = run.outcome.report;
    report.chosen = told_choice(words, run.chosen);
    std::string pictures;
    const auto draw = [&] {
        if (wanted.transfers) pictures = pictures_of(words, report, std::move(run.moved), std::move(run.phases));
    };
    write_out_beside(draw, [&] {
        return words.has("--json") ? document([&] { return json_report(report); })
                                   : text_report(report, paint_for_stdout(), width_of_stdout()) + pictures;
    });
    if (calibrated && !report.prediction)
        complain(report.verdict.lawful() && !report.stopped
                     ? fmt::format("--calibrated: no time is predicted: {}", report.engine.in_lockstep_because.empty()
                                                                                 ? "the measurement was stopped"
                                                                                 : report.engine.in_lockstep_because)
                     : "--calibrated: no time is predicted for a run that breaks a rule or was stopped");
    return status_of(run.outcome.ending);
}

}  // namespace kport::cli
