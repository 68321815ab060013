#include "app/cli/output.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "app/chip/pinning.hpp"
#include "app/cli/code_process.hpp"
#include "app/requests/client.hpp"
#include "emulator/report/terminal_text.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

namespace {

bool without_colours = false;

/// What a process has for standard output and error.
struct Terminals {
    bool out = false;
    bool err = false;
    std::size_t columns = 0;  ///< 0: not known
};
std::optional<Terminals> remembered;

Terminals terminals() {
    if (remembered) return *remembered;
    winsize size{};
    const bool tells = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return {isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1, tells ? size.ws_col : 0U};
}

/// Returns 0 or the error. Calls the system directly: a stream would buffer text and lose the error at exit.
int write_all(int file, std::string_view text) noexcept {
    while (!text.empty()) {
        const ssize_t written = write(file, text.data(), text.size());
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

}  // namespace

namespace {

bool writes_files = true;

}  // namespace

void require_place(std::string_view option, const std::string& file) {
    if (writes_files)
        requests::require_writable_place(option, file);
    else
        requests::require_usable_name(option, file);
}

void write_file(std::string_view option, const std::string& file, std::string_view text) {
    write_file(option, file, [&](std::ostream& out) { out << text; });
}

void write_no_files() { writes_files = false; }

void write_file(std::string_view option, const std::string& file, const std::function<void(std::ostream&)>& write) {
    if (writes_files) requests::replace_named_file(option, file, write);
}

void write_out(std::string_view text) {
    if (supervised()) {
        report_piece(Piece::text, text);
        return;
    }
    const int error = write_all(STDOUT_FILENO, text);
    if (error != 0)
        throw OutputError(std::string("standard output cannot be written: ") + std::strerror(error), error == EPIPE);
}

void complain(std::string_view text) noexcept {
    // In a fixed buffer; a longer line is written in several pieces.
    std::array<char, 512> line{};
    std::size_t used = 0;
    const auto add = [&](std::string_view piece) {
        for (const char c : piece) {
            if (used == line.size()) {
                (void)write_all(STDERR_FILENO, {line.data(), used});
                used = 0;
            }
            line[used++] = c;
        }
    };
    add("kport: ");
    for (const char c : text) add(static_cast<unsigned char>(c) < 0x20 ? "?" : std::string_view(&c, 1));
    add("\n");
    (void)write_all(STDERR_FILENO, {line.data(), used});
}

void write_err(std::string_view text) noexcept { (void)write_all(STDERR_FILENO, text); }

bool stderr_is_terminal() { return terminals().err; }

void remember_terminal() { remembered = terminals(); }

void leave_out_colours() { without_colours = true; }

bool colour_on_stdout() {
    const char* terminal = std::getenv("TERM");
    const bool dumb = terminal != nullptr && std::strcmp(terminal, "dumb") == 0;
    return !without_colours && terminals().out && !dumb && std::getenv("NO_COLOR") == nullptr;
}

std::size_t width_of_stdout() {
    constexpr std::size_t narrowest = 40;
    std::size_t width = 0;
    const char* columns = std::getenv("COLUMNS");
    const std::string_view set = columns == nullptr ? "" : columns;
    const auto read = std::from_chars(set.data(), set.data() + set.size(), width);
    if (read.ec != std::errc() || read.ptr != set.data() + set.size()) width = 0;
    if (width == 0) width = terminals().columns;
    return width == 0 ? usual_width : std::max(width, narrowest);
}

namespace {

void end_without_memory() {
    complain(no_memory);
    end_at_once(status_does_not_fit);
}

}  // namespace

MemoryOrEnd::MemoryOrEnd() : before_(std::set_new_handler(end_without_memory)) {}
MemoryOrEnd::~MemoryOrEnd() { std::set_new_handler(before_); }

std::optional<double> load_average() {
    double load = 0;
    return getloadavg(&load, 1) == 1 ? std::optional(load) : std::nullopt;
}

std::optional<std::string> warning_of_load(double load, unsigned cores) {
    if (load < 0.5 * cores) return std::nullopt;
    return fmt::format("this computer is busy: load {:.1f} over the last minute on {}; times will be longer", load,
                       counted(cores, "core"));
}

void warn_of_load() {
    const auto load = load_average();
    if (!load) return;
    if (const auto warning = warning_of_load(*load, static_cast<unsigned>(chip::usable_pus().size())))
        complain(*warning);
}

}  // namespace kport::cli
