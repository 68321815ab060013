/// @file error.hpp   Errors of the request, and errors of kport itself.
///
/// A broken rule of the machine is neither: it is a Violation in the verdict of the run (audit/violation.hpp).
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace KPORT_PUBLIC kport {

/// The request is wrong: unknown name, impossible combination, malformed number. The text is one line that quotes the
/// wrong word and names the allowed ones. The program ends with status 2.
class RequestError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// The requested machine is valid but cannot do it: it does not fit into memory (the text gives the need and the available
/// amount), or a node cannot send or receive what it must. Status 3.
class DoesNotFit : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// An error of kport itself. Prints the text with file and line on standard error and aborts.
[[noreturn]] void invariant_failed(std::string_view text, std::source_location where);

/// Checked in every build: an error of kport must never become a wrong number.
inline void invariant(bool holds, std::string_view text, std::source_location where = std::source_location::current()) {
    if (!holds) [[unlikely]]
        invariant_failed(text, where);
}

}  // namespace kport
