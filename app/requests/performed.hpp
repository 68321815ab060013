/// @file performed.hpp   A run of a command, wherever its programs run; its bounds, settled, and its pictures.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/bounds/bounds.hpp"
#include "app/pictures/story.hpp"
#include "app/requests/request.hpp"
#include "app/session/experiment.hpp"
#include "emulator/report/report.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport::requests {

/// What a command wants of a run besides its outcome.
struct Wanted {
    bool transfers = false;
    bool phases = false;
    std::function<void(const Chosen&)> before = {};  ///< called when the algorithm is chosen; may be empty
    /// Called where the run was, if it kept all rules; may be empty.
    std::function<std::optional<Prediction>(const Report&, const Chosen&)> prediction = {};
};

struct Performed {
    Chosen chosen;
    Outcome outcome;
    Schedule moved;                 ///< if wanted
    std::vector<PhaseTime> phases;  ///< if wanted
};

/// Runs the experiment of the words, with signs of life: here, or where the client runs code that is in a file.
///
/// Errors   as planned() and run(); NoVerdict if the process with the code gave no complete schedule.
[[nodiscard]] Performed performed(Request& request, const Experiment& experiment, const Wanted& wanted);
/// Runs it here, by an algorithm of the catalogue.
[[nodiscard]] Performed performed_here(Request& request, const Experiment& experiment, const Wanted& wanted);

/// The experiment's bounds as search::settled() leaves them.
[[nodiscard]] Bounds settled(const Experiment& experiment, Bounds bounds);

/// Settles the report's bounds that its run does not meet; without cost where it meets all or what can be reached is known.
void settle_bounds(const Experiment& experiment, Report& report);

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
