/// @file check_folder.hpp   The hand-ins of a course: a folder of schedules and algorithms, a line each.
#pragma once

#include "app/cli/commands.hpp"
#include "app/requests/request.hpp"

namespace kport::cli {

/// kport check FOLDER, or of one file with --csv: a table, CSV or JSON. Headers are left out, which algorithms include. Each algorithm runs in a process of
/// its own. Returns the worst status.
[[nodiscard]] int check_files(Request& request);

}  // namespace kport::cli
