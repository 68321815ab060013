/// @file schedule_in.hpp   Schedules in files that a user names.
#pragma once

#include <string>

#include "files/schedule_forms.hpp"
#include "session/check.hpp"

namespace kport::cli {

/// What stands in the file, or on standard input where the path is "-"; with signs of life while it is read. Throws RequestError.
[[nodiscard]] ReadSchedule schedule_in(const std::string& path, const ScheduleContext& context);

/// The same, to be judged.
[[nodiscard]] Submission submission_in(const std::string& path, const ScheduleContext& context);

}  // namespace kport::cli
