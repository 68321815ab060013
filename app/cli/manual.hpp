/// @file manual.hpp   What other programs read about kport: the manual page and the completions of shells, from the option table.
#pragma once

#include <string>
#include <string_view>

namespace kport::cli {

/// kport(1), for man and groff.
[[nodiscard]] std::string manual_page();

/// The script that the shell reads: bash, zsh or fish. Throws RequestError for others.
[[nodiscard]] std::string completion_for(std::string_view shell);

}  // namespace kport::cli
