/// @file commands.hpp   The commands of kport, a file each. They write to standard output and return the exit status.
#pragma once

#include "app/cli/command_line.hpp"
#include "app/session/run.hpp"

namespace kport::cli {

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

/// Each throws RequestError, DoesNotFit, OutputError, and what an engine throws.
[[nodiscard]] int run(const Words& words);
[[nodiscard]] int compare(const Words& words);
[[nodiscard]] int bench(const Words& words);
[[nodiscard]] int bounds(const Words& words);
[[nodiscard]] int check(const Words& words);
[[nodiscard]] int convert(const Words& words);
[[nodiscard]] int list(const Words& words);
[[nodiscard]] int info(const Words& words);
[[nodiscard]] int show(const Words& words);
[[nodiscard]] int explain(const Words& words);
[[nodiscard]] int search(const Words& words);
[[nodiscard]] int stress(const Words& words);
[[nodiscard]] int chip(const Words& words);
[[nodiscard]] int completion(const Words& words);
[[nodiscard]] int manual(const Words& words);
[[nodiscard]] int new_algorithm(const Words& words);

}  // namespace kport::cli
