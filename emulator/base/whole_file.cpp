#include "emulator/base/whole_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace kport {

namespace {

namespace fs = std::filesystem;

using Write = std::function<void(std::ostream&)>;

std::optional<std::string> written(const fs::path& file, const Write& write) {
    errno = 0;
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    if (!out) return std::strerror(errno);
    out.exceptions(std::ios::badbit | std::ios::failbit);
    try {
        write(out);
        out.close();
    } catch (const std::ios_base::failure&) {
        return std::strerror(errno);
    }
    return std::nullopt;
}

/// A file that is there until it gets its name, or is not wanted.
class Fresh {
  public:
    explicit Fresh(fs::path file) : file_(std::move(file)) {}
    Fresh(const Fresh&) = delete;
    Fresh& operator=(const Fresh&) = delete;
    ~Fresh() {
        std::error_code error;
        fs::remove(file_, error);
    }
    [[nodiscard]] const fs::path& file() const { return file_; }

  private:
    fs::path file_;
};

}  // namespace

std::optional<std::string> replace_file(const fs::path& file, std::string_view text) {
    return replace_file(file, [&](std::ostream& out) { out << text; });
}

std::optional<std::string> replace_file(const fs::path& file, const Write& write) {
    std::error_code error;
    const fs::path place = fs::exists(file, error) ? fs::canonical(file, error) : file;  // keeps a symbolic link
    if (error) return error.message();
    if (fs::exists(place, error) && !fs::is_regular_file(place, error)) return written(place, write);
    const Fresh fresh(fmt::format("{}.{}", place.string(), getpid()));
    if (const auto why = written(fresh.file(), write)) return why;
    fs::rename(fresh.file(), place, error);
    return error ? std::optional(error.message()) : std::nullopt;
}

}  // namespace kport
