/// @file show.hpp   The pictures of a run, for the commands that run something.
#pragma once

#include <string>

#include "cli/command_line.hpp"
#include "emulator/report/report.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport::cli {

/// Whether --record, --trace or --picture asks for the transfers. Throws RequestError for a file that has no place.
[[nodiscard]] bool wants_transfers(const Words& words);

/// Writes the files that --record and --trace name; the text that --picture puts below the report, or nothing.
[[nodiscard]] std::string pictures_of(const Words& words, const Report& report, Schedule recorded);

}  // namespace kport::cli
