/// @file commands.hpp   The commands that only the program has, a file each. They write to standard output and return the exit status.
#pragma once

#include <string>
#include <string_view>

#include "app/requests/answer.hpp"
#include "app/requests/request.hpp"

namespace kport::cli {

using namespace requests;   // a request is the same thing in both rooms
using requests::status_of;  // beside that of a bench

/// Each throws RequestError, DoesNotFit, OutputError, and what an engine throws.
[[nodiscard]] int bench(const Words& words);
[[nodiscard]] int chip(const Words& words);
[[nodiscard]] int lab(const Words& words);
[[nodiscard]] int grade(const Words& words);
[[nodiscard]] int completion(const Words& words);
[[nodiscard]] int manual(const Words& words);
[[nodiscard]] int new_algorithm(const Words& words);

/// kport check FOLDER, or of one file with --csv: a table, CSV or JSON. Headers are left out, which algorithms include. Each algorithm runs in a process of
/// its own. Returns the worst status.
[[nodiscard]] int check_files(Request& request);

/// kport(1), for man and groff.
[[nodiscard]] std::string manual_page();

/// The script that the shell reads: bash, zsh or fish. Throws RequestError for others.
[[nodiscard]] std::string completion_for(std::string_view shell);

}  // namespace kport::cli
