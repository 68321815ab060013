/// @file command_line.hpp   From argv to words: which command, which operation, which option got which text.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kport::cli {

/// What the user typed, not yet understood.
struct Words {
    std::string command;                        ///< "run"; empty for `kport` alone
    std::optional<std::string> subject;         ///< the word after the command: an operation, or what to list
    std::map<std::string, std::string> values;  ///< "--ports" -> "1"; flags have "true"
    std::string help;                           ///< what was asked for with --help or --version; empty: nothing was

    [[nodiscard]] bool has(const std::string& option) const { return values.contains(option); }
    [[nodiscard]] std::optional<std::string> get(const std::string& option) const;
};

/// Reads the command line. Throws RequestError: one line that names the offending word and the nearest valid one.
[[nodiscard]] Words read_command_line(int argc, const char* const* argv);

}  // namespace kport::cli
