/// @file bench_output.hpp   Output of measurements: benches (table, CSV, plot, JSON of Google Benchmark), calibrations, the chip.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/chip/survey.hpp"
#include "app/cli/bench_cells.hpp"
#include "app/files/json_report.hpp"
#include "app/measure/calibration.hpp"
#include "app/session/choose.hpp"
#include "emulator/report/table.hpp"
#include "emulator/report/terminal_text.hpp"

namespace kport::cli {

/// "context" and "benchmarks": of every contender of every cell a row for each repetition, and its mean, median, standard
/// deviation and coefficient of variation. Names are those of the tasks; yardsticks add "/memcpy" and "/bare_loop".
[[nodiscard]] Json bench_json(const Bench& bench);

/// Throws RequestError unless sizes or machines differ: the axis would have a single point.
void require_plottable(const Bench& bench);

/// The picture as SVG, of at least one cell that was measured. The bound is the lower bound on latency at the fitted prices; a price
/// below 0 counts as 0 there.
[[nodiscard]] std::string bench_plot(const Bench& bench, const std::vector<measure::Calibration>& calibrations);

/// A time with three digits: "813 ns", "12.3 us", "4.56 ms", "1.23 s".
[[nodiscard]] std::string short_time(double seconds);

/// The heading, a row for each cell, and the meaning of the columns.
[[nodiscard]] std::string bench_table(const Bench& bench, const Paint& paint, std::size_t width);

/// Always the same columns. A cell that was not measured has a row without times.
[[nodiscard]] std::string bench_csv(const Bench& bench);

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

/// Tables; that of the round trips is a heat map where there is colour.
[[nodiscard]] std::string chip_text(const chip::Survey& survey, const Paint& paint, std::size_t width);

/// Keys are stable; more may be added. Missing measurements are null or empty lists.
[[nodiscard]] Json chip_json(const chip::Survey& survey);

}  // namespace kport::cli
