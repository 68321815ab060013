/// @file process.hpp   Other programs, run to their end.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kport::cli {

/// How a program ended, and what it wrote.
struct Ended {
    int status = 0;  ///< as waitpid() gives it
    std::string out;
    std::string err;

    /// It returned 0.
    [[nodiscard]] bool well() const { return status == 0; }
};

/// Runs a program, which is looked up in PATH, and takes what it writes. `command` begins with its name as it sees it. It is
/// asked to end when interrupted() is set. Nothing where there is no such program. Throws OutputError where the system starts none.
[[nodiscard]] std::optional<Ended> run_program(const std::string& program, std::vector<std::string> command);

/// This program itself.
[[nodiscard]] Ended run_kport(std::vector<std::string> command);

}  // namespace kport::cli
