#include "emulator/base/whole_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

namespace kport {

namespace {

namespace fs = std::filesystem;

std::optional<std::string> write(const fs::path& file, std::string_view text) {
    errno = 0;
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (out) return std::nullopt;
    return std::strerror(errno);
}

}  // namespace

std::optional<std::string> replace_file(const fs::path& file, std::string_view text) {
    std::error_code error;
    const fs::path place = fs::exists(file, error) ? fs::canonical(file, error) : file;  // keeps a symbolic link
    if (error) return error.message();
    if (fs::exists(place, error) && !fs::is_regular_file(place, error)) return write(place, text);
    const fs::path fresh = fmt::format("{}.{}", place.string(), getpid());
    std::optional<std::string> why = write(fresh, text);
    if (!why) {
        fs::rename(fresh, place, error);
        if (!error) return std::nullopt;
        why = error.message();
    }
    fs::remove(fresh, error);
    return why;
}

}  // namespace kport
