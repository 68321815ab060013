/// @file document.hpp   A report as JSON, with lack of memory handled.
#pragma once

#include <string>

#include "app/files/json_report.hpp"

namespace kport::cli {

/// While one lives, a failed allocation ends the program: a line on standard error, status 3. JSON documents allocate
/// in their destructor, so no exception may leave a half-made one.
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
