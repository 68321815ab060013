/// @file calibrate.hpp   Calibrations made of a bench, told to people and programs, and used for runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/bench_cells.hpp"
#include "app/files/json_report.hpp"
#include "app/measure/calibration.hpp"
#include "app/session/choose.hpp"

namespace kport::cli {

/// The file that --calibrate or --calibrated names; the default one where the option stands alone. Throws RequestError.
[[nodiscard]] std::filesystem::path calibration_file(const std::string& value);

/// One for each algorithm and number of threads among the cells that were measured.
[[nodiscard]] std::vector<measure::Calibration> calibrations_of(const Bench& bench);

/// Prices with their intervals, what could not be told, and where the model misses and by how much.
[[nodiscard]] std::string text_of(const measure::Calibration& calibration, std::size_t width);
[[nodiscard]] Json json_of(const measure::Calibration& calibration);

/// Throws RequestError, with the command that makes one, unless the file has a calibration of what is to run.
void require_calibration(const Chosen& chosen, const std::filesystem::path& file);

/// What the file's calibration says about a run, beside the run repeated with its memory warm. Nothing if that was stopped.
/// Throws RequestError as above, for the engine that ran.
[[nodiscard]] std::optional<Prediction> predicted(const Report& report, const Chosen& chosen,
                                                  const std::filesystem::path& file);

}  // namespace kport::cli
