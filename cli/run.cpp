/// @file run.cpp   kport run: one algorithm, audited, beside the bounds.
#include "cli/admission.hpp"
#include "cli/commands.hpp"
#include "cli/execution.hpp"
#include "cli/output.hpp"
#include "emulator/report/json_report.hpp"
#include "emulator/report/text_report.hpp"

namespace kport::cli {

Status status_of(const Report& report) {
    if (report.stopped) return status_stopped;
    return lawful(report) ? status_lawful : status_broken;
}

int run(const Words& words) {
    const Settings settings = settings_of(words);
    require_algorithms(settings.request.operation);
    require_fit(settings, nullptr);  // the choice of an algorithm may build tables of the machine's size
    const Report report = execute(settings, chosen_algorithm(settings));
    write_out(settings.json ? json_text(json_report(report)) : text_report(report, paint_for_stdout()));
    return status_of(report);
}

}  // namespace kport::cli
