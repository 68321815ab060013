/// @file csv.hpp   Lines of a CSV file.
#pragma once

#include <string>
#include <vector>

namespace kport::requests {

/// The fields, comma-separated, with a newline; quoted where needed (RFC 4180).
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

}  // namespace kport::requests
