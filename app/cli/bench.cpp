/// @file bench.cpp   kport bench: what an operation costs on this chip, beside memcpy and a plain loop.
#include <fmt/format.h>

#include "app/cli/bench_cells.hpp"
#include "app/cli/bench_output.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/cli/program.hpp"
#include "app/measure/calibration_file.hpp"
#include "app/requests/plots.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::cli {

namespace {

Json with_calibrations(const Bench& bench, const std::vector<measure::Calibration>& calibrations) {
    Json json = bench_json(bench);
    for (const measure::Calibration& calibration : calibrations) json["calibrations"].push_back(json_of(calibration));
    return json;
}

/// In the form that was asked for. CSV has no place for calibrations.
std::string output_of(const Words& words, const Bench& bench, const std::vector<measure::Calibration>& calibrations) {
    if (words.has("--csv")) return bench_csv(bench);
    if (words.has("--json")) return document([&] { return with_calibrations(bench, calibrations); });
    const std::size_t width = width_of_stdout();
    std::string text = bench_table(bench, paint_for_stdout(), width);
    for (const measure::Calibration& calibration : calibrations) text += "\n" + text_of(calibration, width);
    return text;
}

}  // namespace

int bench(const Words& words) {
    keep_memory();
    if (words.has("--csv") && words.has("--json")) throw RequestError("--csv and --json: want one of them");
    constexpr std::uint64_t repetitions_max = 1'000'000;
    const auto repetitions = words.get("--repetitions");
    const std::uint64_t wanted = repetitions ? parse_count(*repetitions, "--repetitions", 1, repetitions_max) : 0;
    const std::optional<std::string> calibrate = words.get("--calibrate");
    const std::optional<std::string> plot = words.get("--plot");
    const Starts starts = starts_of(words);
    Bench bench = planned(words);
    if (calibrate) measure::require_storable(calibration_file(*calibrate));
    if (plot) {
        require_place_of(*plot, Program());
        require_plottable(bench);
    }
    warn_of_load();
    measure_all(bench, wanted, starts.seconds);
    measure_in_fresh_starts(bench, words, starts);
    tell_what_was_left_out(bench);
    const bool fits = calibrate || plot;
    const std::vector<measure::Calibration> calibrations =
        fits ? calibrations_of(bench) : std::vector<measure::Calibration>();
    write_out(output_of(words, bench, calibrations));
    if (plot && !calibrations.empty())
        write_file("--plot", *plot, requests::in_form_of(*plot, bench_plot(bench, calibrations)));
    if (calibrate && !bench.stopped) store_calibrations(calibration_file(*calibrate), calibrations);
    return status_of(bench);
}

}  // namespace kport::cli
