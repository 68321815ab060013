/// @file chip_report.hpp   A survey of the chip as text and as JSON.
#pragma once

#include <string>

#include "app/chip/survey.hpp"
#include "app/files/json_report.hpp"
#include "emulator/report/terminal_text.hpp"

namespace kport::cli {

/// Tables; that of the round trips is a heat map where there is colour.
[[nodiscard]] std::string chip_text(const chip::Survey& survey, const Paint& paint, std::size_t width);

/// Keys are stable; more may be added. Missing measurements are null or empty lists.
[[nodiscard]] Json chip_json(const chip::Survey& survey);

}  // namespace kport::cli
