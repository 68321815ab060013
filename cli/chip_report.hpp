/// @file chip_report.hpp   A survey of the chip as text and as JSON.
#pragma once

#include <string>

#include "chip/survey.hpp"
#include "emulator/report/json_report.hpp"

namespace kport::cli {

/// Tables, and the matrix of round trips: a heat map with colour, plain numbers without.
[[nodiscard]] std::string chip_text(const chip::Survey& survey, bool colour);

/// Keys are stable; more may be added. Missing measurements are null or empty lists.
[[nodiscard]] Json chip_json(const chip::Survey& survey);

}  // namespace kport::cli
