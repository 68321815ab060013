/// @file show.hpp   The pictures of a run, for the commands that run something.
#pragma once

#include <string>
#include <vector>

#include "app/pictures/story.hpp"
#include "app/requests/request.hpp"
#include "emulator/report/report.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport::requests {

/// Whether --record, --trace, --picture or --hotspots asks for the transfers. Throws RequestError for a file that has no place.
[[nodiscard]] bool wants_transfers(const Request& request);

/// Writes the files that --record, --trace and --picture name; the text that --picture alone puts below the report, or nothing.
[[nodiscard]] std::string pictures_of(Request& request, const Report& report, Schedule recorded,
                                      std::vector<PhaseTime> phases);

/// Throws RequestError where --picture names a file that has no place or is no picture, or asks for text beside --json.
void require_place_of_picture(const Request& request);
/// Writes the file that --picture names; without a name, the text below a report. Throws RequestError for too large a picture.
[[nodiscard]] std::string picture_of(Request& request, const Story& story);

}  // namespace kport::requests
