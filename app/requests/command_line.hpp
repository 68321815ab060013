/// @file command_line.hpp   Parsing of argv into command, operation and option texts.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kport::requests {

/// The user's words, not yet checked.
struct Words {
    std::string command;                         ///< "run"; empty for `kport` alone
    std::optional<std::string> subject;          ///< the word after the command: an operation, or a list's name
    std::optional<std::string> of;               ///< the word after that: list algorithms OPERATION
    std::map<std::string, std::string> values;   ///< "--ports" -> "1"; flags have "true"
    std::map<std::string, std::string> aliases;  ///< "--source" -> "--root" where that was typed
    std::string help;                            ///< the output of --help or --version; empty: neither was given

    [[nodiscard]] bool has(const std::string& option) const { return values.contains(option); }
    [[nodiscard]] std::optional<std::string> get(const std::string& option) const;
    /// The option as it was typed: its name, or its alias.
    [[nodiscard]] std::string typed(const std::string& option) const;
    friend bool operator==(const Words&, const Words&) = default;
};

/// Reads command lines one after the other; construction costs far more than reading. Callers: one thread at a time.
class CommandLineReader {
  public:
    /// `width`: columns of help.
    explicit CommandLineReader(std::size_t width);
    ~CommandLineReader();
    CommandLineReader(const CommandLineReader&) = delete;
    CommandLineReader& operator=(const CommandLineReader&) = delete;

    /// Throws RequestError: one line with the wrong word and the nearest valid one.
    [[nodiscard]] Words read(int argc, const char* const* argv);

  private:
    class Parser;
    std::unique_ptr<Parser> parser_;
};

/// In place of an operation: a file has phases.
inline constexpr std::string_view word_of_sequences = "sequence";
[[nodiscard]] bool asks_for_sequence(const Words& words);
/// Whether an algorithm's name is a file's. Those of the catalogue have neither dots nor slashes.
[[nodiscard]] bool is_algorithm_file(std::string_view name);

/// Reads the command line, once. Throws RequestError.
[[nodiscard]] Words read_command_line(int argc, const char* const* argv, std::size_t width);

}  // namespace kport::requests
