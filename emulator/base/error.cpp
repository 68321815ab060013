#include "emulator/base/error.hpp"

#include <cstdlib>

#include <fmt/format.h>

namespace kport {

void invariant_failed(std::string_view text, std::source_location where) {
    fmt::print(stderr, "kport: a fault of kport itself: {} ({}:{})\n", text, where.file_name(), where.line());
    std::abort();
}

}  // namespace kport
