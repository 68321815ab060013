#include "app/grade/hand_ins.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/grade/mark.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/words.hpp"

namespace kport::grade {

namespace {

namespace fs = std::filesystem;

/// A file descriptor that is closed at the end.
class OpenFile {
  public:
    explicit OpenFile(const fs::path& path)
        : number_(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) {}
    ~OpenFile() {
        if (number_ >= 0) close(number_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    [[nodiscard]] int number() const { return number_; }

  private:
    int number_;
};

FileText refused(std::string why) { return {.text = {}, .refusal = std::move(why)}; }

std::string name_in_files(const std::string& machine) {
    std::string name = machine;
    std::ranges::replace_if(
        name, [](char c) { return c == ':' || c == ',' || c == '/'; }, '-');
    return name;
}

}  // namespace

std::optional<Kind> HandIn::kind(const Exercise& exercise) const {
    std::error_code none;
    const bool is_folder = fs::symlink_status(path, none).type() == fs::file_type::directory;
    const std::string ending = path.extension().string();
    std::optional<Kind> found;
    for (const KindRow& of : kind_rows) {
        if (is_folder ? of.runs : ending.empty() || std::ranges::find(of.endings, ending) == of.endings.end()) continue;
        if (exercise.takes.contains(of.kind)) return of.kind;
        if (!found) found = of.kind;
    }
    return found;
}

std::vector<HandIn> hand_ins_at(const std::string& place) {
    constexpr std::size_t name_bytes = 80;
    const auto named = [](const fs::path& path) {
        return HandIn{one_line(path.filename().string(), name_bytes), path};
    };
    std::error_code error;
    if (!fs::is_directory(place, error)) {
        if (!fs::exists(fs::symlink_status(place, error)))
            throw RequestError(fmt::format("{}: there is no such file or folder; want the hand-ins", quoted(place)));
        return {named(place)};
    }
    std::vector<HandIn> all;
    for (const fs::directory_entry& entry : fs::directory_iterator(place, error))
        if (!entry.path().filename().string().starts_with('.')) all.push_back(named(entry.path()));
    if (error) throw RequestError(fmt::format("folder {} cannot be read: {}", quoted(place), error.message()));
    if (all.empty()) throw RequestError(fmt::format("folder {} holds no hand-ins", quoted(place)));
    std::ranges::sort(all, {}, [](const HandIn& one) { return one.path.filename().string(); });
    return all;
}

FileText text_of_file(const fs::path& path, std::size_t bytes_most) {
    const OpenFile file(path);
    if (file.number() < 0)
        return refused(errno == ELOOP ? "a link is no hand-in; want the file itself"
                                      : fmt::format("the file cannot be opened: {}", std::strerror(errno)));
    struct stat about {};
    if (fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode))
        return refused("no regular file; nothing is read from it");
    if (static_cast<std::size_t>(about.st_size) > bytes_most)
        return refused(fmt::format("the file has {}; want at most {}", memory(static_cast<double>(about.st_size)),
                                   memory(static_cast<double>(bytes_most))));
    FileText read;
    std::array<char, 1 << 16> buffer{};
    while (read.text.size() <= bytes_most) {
        const ssize_t got = ::read(file.number(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return refused(fmt::format("the file cannot be read: {}", std::strerror(errno)));
        if (got == 0) return read;
        read.text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return refused(
        fmt::format("the file grew while it was read; want at most {}", memory(static_cast<double>(bytes_most))));
}

FileText text_for(const HandIn& hand_in, Kind kind, const ExerciseMachine& machine) {
    std::error_code none;
    if (fs::symlink_status(hand_in.path, none).type() != fs::file_type::directory)
        return text_of_file(hand_in.path, schedule_bytes_most);
    std::vector<std::string> names;
    for (const std::string_view ending : row(kind).endings)
        if (!ending.empty()) names.push_back(name_in_files(machine.on) + std::string(ending));
    for (const std::string& name : names)
        if (fs::symlink_status(hand_in.path / name, none).type() != fs::file_type::not_found)
            return text_of_file(hand_in.path / name, schedule_bytes_most);
    return refused(fmt::format("there is no file for this machine; want {}",
                               machine.hidden ? "one named after it" : fmt::format("{}", fmt::join(names, " or "))));
}

}  // namespace kport::grade
