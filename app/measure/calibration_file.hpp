/// @file calibration_file.hpp   Calibrations on disk: one for each operation, algorithm, engine and number of threads.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/measure/calibration.hpp"

namespace kport::measure {

/// What is kept of a calibration.
struct Calibrated {
    CalibrationKey key;
    Prices prices;     ///< of the model that is used
    Caches caches;     ///< of the computer that was measured
    std::string date;  ///< ISO 8601, UTC
};

/// ${XDG_CACHE_HOME:-~/.cache}/kport. Throws RequestError where neither variable says where home is.
[[nodiscard]] std::filesystem::path cache_folder();
/// calibration.json there. Throws as it.
[[nodiscard]] std::filesystem::path default_calibration_file();

/// What the file holds; nothing if there is no such file. Throws RequestError for one that cannot be read or is malformed.
[[nodiscard]] std::vector<Calibrated> read_calibrations(const std::filesystem::path& file);

/// The same of a text; `file` is where it stood, for the message.
[[nodiscard]] std::vector<Calibrated> calibrations_in(std::string_view text, const std::filesystem::path& file);

/// Makes the folder of the file. Throws RequestError, with the reason, unless calibrations could be stored there: to be
/// asked before a long measurement.
void require_storable(const std::filesystem::path& file);

/// Puts the calibrations in the place of those with the same keys and keeps the others. The file is replaced as a whole or
/// not at all. Throws RequestError.
void store_calibrations(const std::filesystem::path& file, const std::vector<Calibration>& calibrations);

}  // namespace kport::measure
