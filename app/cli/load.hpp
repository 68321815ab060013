/// @file load.hpp   A warning before measurements on a busy computer.
#pragma once

#include <optional>
#include <string>

namespace kport::cli {

/// Processes that run or want to, on average over the last minute; nothing where the system does not tell.
[[nodiscard]] std::optional<double> load_average();

/// What to say of a load on so many cores; nothing where it leaves at least half of them alone.
[[nodiscard]] std::optional<std::string> warning_of_load(double load, unsigned cores);

/// Says so on standard error, before a measurement.
void warn_of_load();

}  // namespace kport::cli
