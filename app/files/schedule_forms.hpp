/// @file schedule_forms.hpp   The formats in which schedules are read and written: kport's and those of other programs.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/told_schedule.hpp"

namespace KPORT_PUBLIC kport {

/// A format: how it is recognised, read and written.
struct ScheduleForm {
    std::string_view name;     ///< "text"
    std::string_view endings;  ///< of written files, the usual one first: ".txt"
    std::string_view about;    ///< one line
    /// Whether a file with this beginning has this format. The first format that returns true reads the file.
    bool (*begins)(std::string_view head);
    /// Throws RequestError that names file, line and column (JSON: the member), and what would be right.
    ToldSchedule (*read)(std::istream& in, const std::string& name, const ScheduleContext& context);
    /// Throws RequestError for what the format cannot express. The caller checks the stream. Null: read-only.
    void (*write)(std::ostream& out, const ToldSchedule& told);
    /// Returns ToldSchedule::options of a file that begins so; null: the format has none.
    std::string (*options)(std::string_view head) = nullptr;
    bool finds_rounds = false;   ///< files have no rounds: they are the earliest on the machine of the context
    bool keeps_machine = false;  ///< files name their machine
    bool keeps_bytes = false;    ///< files give the size of packets
    bool has_repairs = false;    ///< faults come with repairs (files/repair.hpp)
    bool has_chunks = false;     ///< which determine M
};

/// Returns all formats: JSON (files/schedule_file.hpp); text as on paper (files/text_schedule.cpp); CSV; those of other
/// programs.
[[nodiscard]] const std::vector<ScheduleForm>& schedule_forms();
/// Returns the format of that name. Throws RequestError with the nearest.
[[nodiscard]] const ScheduleForm& schedule_form_named(std::string_view name);
/// schedule_form_named() for writing. Throws RequestError for a read-only one, too.
[[nodiscard]] const ScheduleForm& written_form_named(std::string_view name);

/// Returns the format for the ending of this path, in any case; null if there is none.
[[nodiscard]] const ScheduleForm* schedule_form_of_path(std::string_view path);

/// Returns the format of a text by its beginning, of any length; null if there is none.
[[nodiscard]] const ScheduleForm* schedule_form_of(std::string_view head);

struct ReadSchedule {
    const ScheduleForm* form;
    ToldSchedule told;
};

/// Reads a schedule in the format that its first bytes show. Rules are checked by an auditor (audit_schedule.hpp),
/// which refuses packets that the operation does not have.
///
/// Memory   the schedule's and a line's.
/// Errors   RequestError, as ScheduleForm::read, and if no format is recognised.
[[nodiscard]] ReadSchedule read_any_schedule(std::istream& in, const std::string& name, const ScheduleContext& context);
/// Makes the context of a schedule that says these options (ToldSchedule::options). It is called once, before anything is read.
using ContextOfOptions = std::function<ScheduleContext(const std::string& options)>;
/// Reads a schedule as read_any_schedule() does, in the context that its options ask for. Throws also what the function throws, and
/// RequestError for options that do not stand at the beginning of the file.
[[nodiscard]] ReadSchedule read_by_options(std::istream& in, const std::string& name,
                                           const ContextOfOptions& context_of);
/// Reads a folder that has a SimGrid trace for each rank (is_simgrid_folder()).
[[nodiscard]] ReadSchedule read_schedule_folder(const std::string& folder, const ScheduleContext& context);

}  // namespace kport
