/// @file own_algorithms.hpp   Algorithms in files: ./mine.cpp, or a shared object that kport has made of one.
#pragma once

#include <string_view>

#include "cli/command_line.hpp"

namespace kport::cli {

/// Whether an algorithm's name is a file's. Those of the catalogue have neither dots nor slashes.
[[nodiscard]] bool is_algorithm_file(std::string_view name);

/// Compiles and loads the algorithms that the words name by file; then the catalogue has them under these names. What follows runs
/// in a process of its own (go_on_supervised()). Throws RequestError for what is no algorithm, or was built for another kport.
void know_own_algorithms(const Words& words);

}  // namespace kport::cli
