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

/// A temporary file, removed unless it replaced the target.
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

/// Returns where the content is stored: symbolic links are followed and stay.
fs::path place_of(const fs::path& file, std::error_code& error) {
    return fs::exists(file, error) ? fs::canonical(file, error) : file;
}
/// Whether it is a pipe or a device, which is not replaced.
bool is_special(const fs::path& place) {
    std::error_code none;
    return fs::exists(place, none) && !fs::is_regular_file(place, none);
}
fs::path beside(const fs::path& place) { return fmt::format("{}.{}", place.string(), getpid()); }

}  // namespace

std::optional<std::string> replace_file(const fs::path& file, std::string_view text) {
    return replace_file(file, [&](std::ostream& out) { out << text; });
}

std::optional<std::string> replace_file(const fs::path& file, const Write& write) {
    std::error_code error;
    const fs::path place = place_of(file, error);
    if (error) return error.message();
    if (is_special(place)) return written(place, write);
    const Fresh fresh(beside(place));
    if (const auto why = written(fresh.file(), write)) return why;
    fs::rename(fresh.file(), place, error);
    return error ? std::optional(error.message()) : std::nullopt;
}

std::optional<std::string> why_not_replaced(const fs::path& file) {
    std::error_code error;
    const fs::path place = place_of(file, error);
    if (error) return error.message();
    if (is_special(place)) return std::nullopt;
    return written(Fresh(beside(place)).file(), [](std::ostream&) {});
}

}  // namespace kport
