/// @file document.hpp   A report as JSON, or no memory for it.
#pragma once

#include <string>

#include "emulator/report/json_report.hpp"

namespace kport::cli {

/// While one lives, memory that is refused ends the program: a line on standard error, status 3. Documents need memory even
/// to be destroyed, so that no exception could leave one that is half made.
///
/// Callers   the main thread, where no other runs.
class MemoryOrEnd {
  public:
    MemoryOrEnd();
    ~MemoryOrEnd();
    MemoryOrEnd(const MemoryOrEnd&) = delete;
    MemoryOrEnd& operator=(const MemoryOrEnd&) = delete;

  private:
    void (*before_)();
};

/// The text of the document that make() returns.
template <class Make>
std::string document(const Make& make) {
    const MemoryOrEnd guard;
    return json_text(make());
}

}  // namespace kport::cli
