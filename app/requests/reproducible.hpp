/// @file reproducible.hpp   --reproducible: reports without what differs from run to run, or with the number of threads.
#pragma once

#include <cstddef>
#include <string>

#include "app/files/json_report.hpp"
#include "emulator/report/paint.hpp"
#include "emulator/report/report.hpp"

namespace kport::requests {

/// Erases times, peak memory and numbers of threads, wherever they stand.
void leave_out_times(Json& json);
/// text_report() without the line `chip`, or `audit` with the time of an audit, and without what each rank took.
[[nodiscard]] std::string report_without_times(Report report, const Paint& paint, std::size_t width);

}  // namespace kport::requests
