/// @file bound_text.hpp   Bounds with their arguments, as `bounds` and `explain` show them.
#pragma once

#include <array>
#include <string_view>

#include "algorithms/bounds/bounds.hpp"
#include "emulator/report/table.hpp"
#include "files/json_report.hpp"

namespace kport::cli {

/// A bound with its name in JSON and in text.
struct NamedBound {
    std::string_view key;
    std::string_view title;
    const Bound* bound;
};
[[nodiscard]] std::array<NamedBound, 5> named(const Bounds& bounds);

/// "yes: sbt meets it", "not known: ...".
[[nodiscard]] Cell reachable_text(const Bound& bound);

/// "arguments" and "reachable", for each quantity.
void put_arguments(Json& json, const Bounds& bounds);

}  // namespace kport::cli
