/// @file error.hpp   Who was wrong: the request, or we.
///
/// A broken rule of the machine is neither: it is a Violation in the verdict of the run (audit/violation.hpp).
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kport {

/// The request is wrong: unknown name, impossible combination, malformed number. The text is one line that names the
/// offending word and what would be right. The program ends with status 2.
class RequestError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// The machine asked for is well formed but does not fit here. The text gives the need and what there is. Status 3.
class DoesNotFit : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// We are wrong. Prints the text with file and line on standard error and aborts.
[[noreturn]] void invariant_failed(std::string_view text, std::source_location where);

/// On in every build: a fault of ours must never become a number that somebody trusts.
inline void invariant(bool holds, std::string_view text, std::source_location where = std::source_location::current()) {
    if (!holds) [[unlikely]]
        invariant_failed(text, where);
}

}  // namespace kport
