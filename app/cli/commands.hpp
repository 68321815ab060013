/// @file commands.hpp   The commands that only the program has, a file each. They write to standard output and return the exit status.
#pragma once

#include "app/requests/answer.hpp"

namespace kport::cli {

using namespace requests;   // a request is the same thing in both rooms
using requests::status_of;  // beside that of a bench

/// Each throws RequestError, DoesNotFit, OutputError, and what an engine throws.
[[nodiscard]] int bench(const Words& words);
[[nodiscard]] int stress(const Words& words);
[[nodiscard]] int chip(const Words& words);
[[nodiscard]] int completion(const Words& words);
[[nodiscard]] int manual(const Words& words);
[[nodiscard]] int new_algorithm(const Words& words);

}  // namespace kport::cli
