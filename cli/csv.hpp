/// @file csv.hpp   Lines of a table that a program reads.
#pragma once

#include <string>
#include <vector>

namespace kport::cli {

/// The fields with commas between them and a newline behind, in quotes where they would be misread (RFC 4180).
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

}  // namespace kport::cli
