/// @file schedule_forms.hpp   The forms in which schedules are written: kport's own and those of other programs.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/told_schedule.hpp"

namespace KPORT_PUBLIC kport {

/// One form: how it is known, read and written.
struct ScheduleForm {
    std::string_view name;     ///< "text"
    std::string_view endings;  ///< of files that are written in it, the usual one first: ".txt"
    std::string_view about;    ///< one line
    /// Whether a file that begins so has this form. The first form that says yes reads the file.
    bool (*begins)(std::string_view head);
    /// Throws RequestError that names file, line and column (JSON: the member), and what would be right.
    ToldSchedule (*read)(std::istream& in, const std::string& name, const ScheduleContext& context);
    /// Throws RequestError for what the form cannot say. The caller checks the stream. Null: it is only read.
    void (*write)(std::ostream& out, const ToldSchedule& told);
    bool finds_rounds = false;   ///< files have none: they are the earliest on the machine of the context
    bool keeps_machine = false;  ///< files say for which machine they are
    bool keeps_bytes = false;    ///< files say how large packets are
    bool has_repairs = false;    ///< faults come with repairs (files/repair.hpp)
    bool has_chunks = false;     ///< which say how many packets there are of each
};

/// JSON (files/schedule_file.hpp); text as on paper (files/text_schedule.cpp); CSV; those of other programs.
[[nodiscard]] const std::vector<ScheduleForm>& schedule_forms();
/// By name. Throws RequestError with the nearest.
[[nodiscard]] const ScheduleForm& schedule_form_named(std::string_view name);
/// ... of those that are written. Throws RequestError also for one that is only read.
[[nodiscard]] const ScheduleForm& written_form_named(std::string_view name);

/// The form of files with the ending of this path, in any case; null where none has it.
[[nodiscard]] const ScheduleForm* schedule_form_of_path(std::string_view path);

/// The form in which the text begins, which is as much of a file as one likes to look at; null if none does.
[[nodiscard]] const ScheduleForm* schedule_form_of(std::string_view head);

struct ReadSchedule {
    const ScheduleForm* form;
    ToldSchedule told;
};

/// Reads a schedule in the form that its first bytes show. Whether it keeps the rules is for an auditor to say
/// (audit_schedule.hpp), which refuses packets that the operation does not have.
///
/// Memory   the schedule's own and a line's.
/// Errors   RequestError, as ScheduleForm::read, and where no form begins so.
[[nodiscard]] ReadSchedule read_any_schedule(std::istream& in, const std::string& name, const ScheduleContext& context);
/// Reads a folder that has a SimGrid trace for each rank (is_simgrid_folder()).
[[nodiscard]] ReadSchedule read_schedule_folder(const std::string& folder, const ScheduleContext& context);

}  // namespace kport
