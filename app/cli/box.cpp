#include "app/cli/process.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "emulator/base/nearest.hpp"

namespace kport::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t scratch_bytes = std::uint64_t{16} << 20;

using Line = std::vector<std::string>;

void add(Line& line, std::initializer_list<std::string> words) { line.insert(line.end(), words); }

Line limits_of(const Box& box) {
    return {"prlimit",
            fmt::format("--as={}", box.memory),
            fmt::format("--cpu={}", box.processor_seconds),
            fmt::format("--fsize={}", scratch_bytes),
            "--nofile=64",
            "--core=0"};
}

/// /lib and the like, which are links into /usr on Debian.
void add_system(Line& line) {
    add(line, {"--ro-bind", "/usr", "/usr"});
    for (const char* name : {"/lib", "/lib64", "/bin", "/sbin"}) {
        std::error_code none;
        if (fs::is_symlink(name, none))
            add(line, {"--symlink", fs::read_symlink(name, none).string(), name});
        else
            add(line, {"--ro-bind-try", name, name});
    }
    for (const char* name : {"/etc/alternatives", "/etc/ld.so.cache"}) add(line, {"--ro-bind-try", name, name});
}

void add_bubblewrap(Line& line, const Box& box) {
    add(line, {"bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--uid", "65534",
               "--gid", "65534", "--hostname", "box"});
    add_system(line);
    add(line, {"--proc", "/proc", "--dev", "/dev", "--size", std::to_string(scratch_bytes), "--tmpfs", "/tmp"});
    for (const std::string& path : box.shows) add(line, {"--ro-bind", path, path});
    add(line, {"--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp", "--"});
}

Line line_of(const Box& box) {
    Line line = limits_of(box);
    add(line, {"env", "-i", "PATH=/usr/bin:/bin"});
    line.insert(line.end(), box.environment.begin(), box.environment.end());
    if (box.folder.empty())
        add_bubblewrap(line, box);
    else
        line.insert(line.begin() + static_cast<std::ptrdiff_t>(limits_of(box).size()) + 2, {"-C", box.folder});
    line.insert(line.end(), box.command.begin(), box.command.end());
    return line;
}

bool is_in_container() {
    std::error_code none;
    if (fs::exists("/.dockerenv", none) || fs::exists("/run/.containerenv", none)) return true;
    std::string limit;
    std::ifstream("/sys/fs/cgroup/pids.max") >> limit;
    return !limit.empty() && limit != "max";
}

}  // namespace

Ended run_in_box(const Box& box) {
    const RunLimits limits{box.seconds, box.output};
    std::optional<Ended> ended = run_program("prlimit", line_of(box), &limits);
    if (!ended) return {.status = -1, .out = {}, .err = "prlimit is missing", .cut = Ended::Cut::no};
    return *std::move(ended);
}

std::optional<std::string> why_no_box() {
    const std::optional<Ended> version = run_program("bwrap", {"bwrap", "--version"});
    if (!version) return "bubblewrap is missing (Debian's package bubblewrap)";
    const Ended ended = run_in_box({.command = {"true"}, .shows = {}, .environment = {}, .folder = {}});
    if (ended.well()) return std::nullopt;
    constexpr std::size_t longest = 200;
    return fmt::format("bubblewrap cannot make one here ({})",
                       one_line(ended.err.substr(0, ended.err.find('\n')), longest));
}

bool is_root_without_container() { return geteuid() == 0 && !is_in_container(); }

}  // namespace kport::cli
