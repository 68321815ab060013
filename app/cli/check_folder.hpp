/// @file check_folder.hpp   The hand-ins of a course: a folder of schedules and algorithms, a line each.
#pragma once

#include <string>

#include "app/cli/command_line.hpp"
#include "app/session/run.hpp"

namespace kport::cli {

/// Whether the file is an algorithm's source.
[[nodiscard]] bool is_source(const std::string& path);

/// The words of the run that judges an algorithm. Throws RequestError where operation or machine are missing.
[[nodiscard]] Words words_of_run(const Words& words, const std::string& path);

/// A schedule's report; without signs of life. Any thread. Throws RequestError, DoesNotFit.
[[nodiscard]] Outcome judged_schedule(const std::string& path, const Words& words);

/// kport check FOLDER, or of one file with --csv: a table, CSV or JSON. Headers are left out, which algorithms include. Each algorithm runs in a process of
/// its own. Returns the worst status.
[[nodiscard]] int check_files(const Words& words);

}  // namespace kport::cli
