/// @file process.hpp   Other programs, run to their end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kport::cli {

/// How a program ended, and what it wrote.
struct Ended {
    enum class Cut : std::uint8_t { no, time, output };

    int status = 0;  ///< as waitpid() gives it
    std::string out;
    std::string err;
    Cut cut = Cut::no;  ///< by which limit it was ended

    /// It returned 0.
    [[nodiscard]] bool well() const { return status == 0; }
};

/// Limits of a program of a stranger. It has no standard input, and what it writes to standard error is cut at 64 KiB.
struct RunLimits {
    double seconds;      ///< on the clock
    std::size_t output;  ///< bytes that it may write to standard output
};

/// Runs a program, which is looked up in PATH, and takes what it writes. `command` begins with its name as it sees it. It is
/// asked to end when interrupted() is set, and killed at its limits. Nothing where there is no such program. Any number of threads. Throws
/// OutputError where the system starts none.
[[nodiscard]] std::optional<Ended> run_program(const std::string& program, std::vector<std::string> command,
                                               const RunLimits* limits = nullptr);

/// This program itself.
[[nodiscard]] Ended run_kport(std::vector<std::string> command);

}  // namespace kport::cli
