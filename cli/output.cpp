#include "cli/output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace kport::cli {

namespace {

/// Returns 0 or the error. Straight to the system: a stream would hold text back and lose the error at exit.
int write_all(int file, std::string_view text) noexcept {
    while (!text.empty()) {
        const ssize_t written = write(file, text.data(), text.size());
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

}  // namespace

void write_out(std::string_view text) {
    const int error = write_all(STDOUT_FILENO, text);
    if (error != 0)
        throw OutputError(std::string("standard output cannot be written: ") + std::strerror(error), error == EPIPE);
}

void complain(std::string_view text) noexcept {
    try {
        std::string line = "kport: " + std::string(text);
        std::replace_if(
            line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
        (void)write_all(STDERR_FILENO, line + "\n");
    } catch (...) {  // no memory for one line: the shorter one below needs none
        (void)write_all(STDERR_FILENO, "kport: out of memory\n");
    }
}

bool colour_on_stdout() {
    const char* terminal = std::getenv("TERM");
    const bool dumb = terminal != nullptr && std::strcmp(terminal, "dumb") == 0;
    return isatty(STDOUT_FILENO) == 1 && !dumb && std::getenv("NO_COLOR") == nullptr;
}

}  // namespace kport::cli
