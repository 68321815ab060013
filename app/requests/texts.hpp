/// @file texts.hpp   What the texts of several commands have in common: names of options, bounds with their arguments, lines of CSV.
#pragma once

#include <string>
#include <string_view>
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

/// A refusal: "packet_bytes 12: ..." is "--bytes 12: ...". Others as they are.
[[nodiscard]] std::string in_options(std::string_view refusal);
/// Why an algorithm does not run (Misfit::why), with the option that would mend it.
[[nodiscard]] std::string misfit_in_options(std::string_view why);
/// What a fault needs (FaultInfo::needs): "pairwise, 3 nodes" is "--pairwise, 3 nodes".
[[nodiscard]] std::string need_in_options(std::string_view need);

}  // namespace kport::requests
