/// @file texts.hpp   What the texts of several commands have in common: bounds with their arguments, lines of CSV.
#pragma once

#include <string>
#include <vector>

#include "algorithms/bounds/bounds.hpp"
#include "app/files/json_report.hpp"
#include "emulator/report/table.hpp"

namespace kport::requests {

/// "yes: sbt meets it", "not known: ...".
[[nodiscard]] Cell reachable_text(const Bound& bound);

/// "arguments" and "reachable", for each quantity.
void put_arguments(Json& json, const Bounds& bounds);

/// The fields, comma-separated, with a newline; quoted where needed (RFC 4180).
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

}  // namespace kport::requests
