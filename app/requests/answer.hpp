/// @file answer.hpp   The one door below the command line: words in, text and exit status out.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/requests/client.hpp"
#include "app/requests/command_line.hpp"

namespace kport::requests {

/// The meanings are part of the contract with the user (README.md).
enum Status : int {
    status_lawful = 0,        ///< all rules kept and everything delivered
    status_broken = 1,        ///< a rule broken or something not delivered
    status_wrong = 2,         ///< the request is wrong
    status_does_not_fit = 3,  ///< the requested machine does not fit
    status_stopped = 4  ///< stopped before a verdict, something was not judged, or the report could not be written
};

/// The status of what has run.
[[nodiscard]] constexpr Status status_of(Ending ending) {
    return ending == Ending::lawful ? status_lawful : ending == Ending::broken ? status_broken : status_stopped;
}

/// The message for lack of memory.
inline constexpr std::string_view no_memory = "the run needs more memory than the system gives";

struct Answer {
    int status = status_lawful;              ///< Status
    std::string text = {};                   ///< what kport prints on standard output
    std::vector<std::string> warnings = {};  ///< sentences that kport prints on standard error
    std::string error = {};  ///< the sentence with which kport ends, also on standard error; empty: it has none
};

/// Answers a command line as the program kport does: `run compare bounds explain info list show check convert search tolerance`, `--help` and
/// `--version`. The other commands belong to the program, and are refused with status 2.
///
/// words    those behind "kport": {"run", "broadcast", "--on", "hypercube:4"}
/// input    what standard input holds, which "-" names as a file: `check -`, `convert -`, `--on -`
///
/// Threads  any number at once, each with a client of its own; not beside know_graph_files() or add_to_catalogue().
/// Errors   all are in the answer; only std::bad_alloc is thrown, where not even its sentence fits.
[[nodiscard]] Answer answer(std::span<const std::string> words, std::string_view input, Client& client);

/// Answers words that were read already. `input` is read only where they name it.
[[nodiscard]] Answer answer(const Words& words, std::istream& input, Client& client);

/// The commands that answer() serves.
[[nodiscard]] std::vector<std::string_view> answered_commands();

/// Makes known, once, what requests may name and the library does not know: graphs in files, the algorithm `exact`. answer() calls it.
void prepare_for_requests();

}  // namespace kport::requests
