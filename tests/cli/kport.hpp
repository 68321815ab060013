/// @file kport.hpp   The built program, run from a test as a user would run it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace kport::test {

/// The environment of a run.
struct Place {
    std::optional<std::string> out;  ///< standard output goes to this file instead of back to the test
    bool out_closed = false;         ///< there is no standard output
    bool terminal = false;           ///< standard output and error are one terminal; `out` has both
    unsigned terminal_columns = 0;   ///< 0: it does not tell
    /// COLUMNS; unset if nothing. Tests of what is said want its lines whole.
    std::optional<std::string> columns = "1000";
    std::optional<std::uint64_t> address_space;  ///< RLIMIT_AS, in bytes
    std::optional<std::uint64_t> file_size;      ///< RLIMIT_FSIZE, in bytes
    bool one_processor = false;                  ///< it may use no more, as taskset says it
    std::vector<std::string> environment;        ///< "NAME=value"; NO_COLOR and TERM are not inherited
    std::optional<int> signal;                   ///< sent once, after the delay
    std::chrono::milliseconds delay{0};
};

/// How it ended.
struct Outcome {
    int status = -1;  ///< the exit status; minus the signal that killed it
    std::string out;
    std::string err;

    [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// Runs the program with the arguments and waits for its end; kills it after a minute.
[[nodiscard]] Outcome kport(const std::vector<std::string>& arguments, const Place& place = {});

/// The words of a line, as a shell without quotes would split it.
[[nodiscard]] std::vector<std::string> words(const std::string& line);
[[nodiscard]] inline Outcome kport(const std::string& line, const Place& place = {}) {
    return kport(words(line), place);
}

}  // namespace kport::test
