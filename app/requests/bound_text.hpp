/// @file bound_text.hpp   Bounds with their arguments, as `bounds` and `explain` show them.
#pragma once

#include "algorithms/bounds/bounds.hpp"
#include "app/files/json_report.hpp"
#include "emulator/report/table.hpp"

namespace kport::requests {

/// "yes: sbt meets it", "not known: ...".
[[nodiscard]] Cell reachable_text(const Bound& bound);

/// "arguments" and "reachable", for each quantity.
void put_arguments(Json& json, const Bounds& bounds);

}  // namespace kport::requests
