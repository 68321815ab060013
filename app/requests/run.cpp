/// @file run.cpp   kport run: one algorithm, audited, beside the bounds.
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/files/json_report.hpp"
#include "app/requests/commands.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/requests/performed.hpp"
#include "app/requests/request.hpp"
#include "app/session/reporting.hpp"
#include "emulator/base/error.hpp"
#include "emulator/report/report.hpp"
#include "emulator/report/words.hpp"

namespace kport::requests {

namespace {

/// The reason of the choice, and a cheaper root where none was asked for.
std::string told_choice(const Words& words, const Chosen& chosen) {
    const Experiment& e = chosen.experiment;
    std::string reason = chosen.reason();
    if (words.has("--source")) return reason;
    const auto better = better_root(*chosen.algorithm, e.machine, e.collective, e.options);
    if (!better) return reason;
    return fmt::format("{}{}root {} by default: {}; through node {} (--source {}) it would cost {}", reason,
                       reason.empty() ? "" : "; ", e.topology().number(e.collective.root), grouped(better->latency_now),
                       e.topology().name(better->root), e.topology().number(better->root), grouped(better->latency));
}

}  // namespace

Answer run(Request& request) {
    const Words& words = request.words;
    if (asks_for_sequence(words)) return run_sequence(request);
    Experiment experiment = experiment_of(words);
    experiment.company = request.client.company();
    const std::optional<std::string> calibrated = words.get("--calibrated");
    Wanted wanted;
    wanted.transfers = wants_transfers(request);
    wanted.phases = words.has("--trace") && !request.reproducible();
    if (calibrated) request.client.predict(*calibrated, wanted);
    Performed run = performed(request, experiment, wanted);
    Report& report = run.outcome.report;
    report.chosen = told_choice(words, run.chosen);
    settle_bounds(run.chosen.experiment, report);
    if (words.has("--hotspots")) put_hotspots(report, run.moved);
    if (calibrated && !report.prediction)
        request.client.warn(report.verdict.lawful() && !report.stopped
                                ? fmt::format("--calibrated: no time is predicted: {}",
                                              report.needs_rounds == NeedsRounds::no ? "the measurement was stopped"
                                                                                     : text(report.needs_rounds))
                                : "--calibrated: no time is predicted for a run that breaks a rule or was stopped");
    std::string pictures;
    const auto draw = [&] {
        if (wanted.transfers) pictures = pictures_of(request, report, std::move(run.moved), std::move(run.phases));
    };
    return answer_beside(
        draw, [&] { return report_of(request, report) + pictures; }, status_of(run.outcome.ending));
}

}  // namespace kport::requests
