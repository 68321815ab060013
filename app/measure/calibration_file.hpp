/// @file calibration_file.hpp   Calibrations on disk: one for each operation, algorithm, engine and number of threads.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/measure/calibration.hpp"

namespace kport::measure {

/// A stored calibration.
struct Calibrated {
    CalibrationKey key;
    Prices prices;     ///< of the model that is used
    Caches caches;     ///< of the computer that was measured
    std::string date;  ///< ISO 8601, UTC
};

/// Returns ${XDG_CACHE_HOME:-~/.cache}/kport. Throws RequestError if neither variable gives a home.
[[nodiscard]] std::filesystem::path cache_folder();
/// Returns calibration.json there. Throws like cache_folder().
[[nodiscard]] std::filesystem::path default_calibration_file();

/// Returns the content of the file; nothing if there is no such file. Throws RequestError if it is unreadable or
/// malformed.
[[nodiscard]] std::vector<Calibrated> read_calibrations(const std::filesystem::path& file);

/// Reads calibrations from a text; `file` is its name in messages.
[[nodiscard]] std::vector<Calibrated> calibrations_in(std::string_view text, const std::filesystem::path& file);

/// Creates the folder of the file. Throws RequestError, with the reason, unless calibrations can be stored there. Call
/// it before a long measurement.
void require_storable(const std::filesystem::path& file);

/// Replaces the calibrations with equal keys and keeps the others. The file is replaced as a whole or not at all.
/// Throws RequestError.
void store_calibrations(const std::filesystem::path& file, const std::vector<Calibration>& calibrations);

}  // namespace kport::measure
