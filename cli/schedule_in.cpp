#include "cli/schedule_in.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include <fmt/format.h>

#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport::cli {

ReadSchedule schedule_in(const std::string& path, const ScheduleContext& context) {
    const std::string reading = fmt::format("{} is being read", path);
    nothing_to_tell_while(reading);
    return with_signs_of_life(reading, [&] {
        if (path == "-") return read_any_schedule(std::cin, "standard input", context);
        std::ifstream file(path);
        if (!file)
            throw RequestError(fmt::format("schedule {} cannot be opened: {}", quoted(path), std::strerror(errno)));
        return read_any_schedule(file, path, context);
    });
}

Submission submission_in(const std::string& path, const ScheduleContext& context) {
    ReadSchedule read = schedule_in(path, context);
    Submission submission{path,
                          std::string(read.form->name),
                          context.machine,
                          read.told.collective,
                          std::move(read.told.schedule),
                          std::move(read.told.remarks)};
    submission.machine.topology = read.told.topology;
    if (!submission.collective.signals()) submission.collective.rules = context.rules;  // those of signals are void
    return submission;
}

void write_schedule_file(std::string_view option, const std::string& file, const ToldSchedule& told) {
    const ScheduleForm* const form = schedule_form_of_path(file);
    const ScheduleForm& wanted = form == nullptr ? schedule_form_named("json") : *form;
    write_file(option, file, [&](std::ostream& out) { wanted.write(out, told); });
}

}  // namespace kport::cli
