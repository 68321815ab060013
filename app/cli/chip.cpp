/// @file chip.cpp   kport chip: what this computer is and what moving data between its cores costs.
#include <fmt/format.h>

#include "app/cli/bench_output.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/cli/progress.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

namespace {

/// Two threads on one core would measure the scheduler of the system.
std::size_t threads_of(const Words& words) {
    const std::size_t usable = chip::usable_pus().size();
    const auto given = words.get("--threads");
    if (!given) return usable;
    const std::uint64_t threads = parse_count(*given, "--threads", 1);
    if (threads > usable)
        throw RequestError(fmt::format("--threads {}: this process may use {}; want at most {}", quoted(*given),
                                       counted(usable, "core"), usable));
    return threads;
}

void warn(const chip::Survey& survey) {
    const chip::Hardware& machine = survey.machine;
    if (!survey.why_not_pinned.empty())
        complain("threads are not pinned: " + survey.why_not_pinned + "; the figures are of unknown cores");
    if (machine.usable.size() < machine.pus)
        complain(
            fmt::format("only {} of the {} cores of this machine may be used here (affinity mask or control group)",
                        machine.usable.size(), machine.pus));
    if (machine.time_limit && *machine.time_limit < static_cast<double>(survey.pus.size()))
        complain(fmt::format("the control group grants the time of {} cores to {}: threads are suspended at times",
                             number(*machine.time_limit), counted(survey.pus.size(), "thread")));
}

}  // namespace

int chip(const Words& words) {
    const std::size_t threads = threads_of(words);
    chip::Survey survey;
    warn_of_load();
    {
        something_to_tell();
        SignsOfLife signs;
        survey = chip::survey(threads, {}, interrupted(), [&](const std::string& text) {
            if (signs.due()) signs.show(text);
        });
    }
    warn(survey);
    write_out(words.has("--json") ? document([&] { return chip_json(survey); })
                                  : chip_text(survey, paint_for_stdout(), width_of_stdout()));
    return survey.stopped ? status_stopped : status_lawful;
}

}  // namespace kport::cli
