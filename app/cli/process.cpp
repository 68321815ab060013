#include "app/cli/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/cli/output.hpp"
#include "app/cli/progress.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX asks for it, GNU declares it

namespace kport::cli {

namespace {

using Clock = std::chrono::steady_clock;

/// Which limit the program has reached. Drops what is too long for standard error.
Ended::Cut cut_by(const RunLimits& limits, Clock::time_point begin, Ended& ended) {
    constexpr std::size_t error_bytes = std::size_t{64} << 10;
    if (ended.err.size() > error_bytes) ended.err.resize(error_bytes);
    if (ended.out.size() > limits.output) return Ended::Cut::output;
    return std::chrono::duration<double>(Clock::now() - begin).count() > limits.seconds ? Ended::Cut::time
                                                                                        : Ended::Cut::no;
}

/// Until the program has closed both, or reached a limit.
void read_all(pid_t child, Pipe& out, Pipe& err, const RunLimits* limits, Ended& ended) {
    constexpr int milliseconds_between_looks = 100;
    const Clock::time_point begin = Clock::now();
    bool asked = false;
    while (out.reader() >= 0 || err.reader() >= 0) {
        if (limits != nullptr) ended.cut = cut_by(*limits, begin, ended);
        if (ended.cut != Ended::Cut::no) {
            kill(-child, SIGKILL);
            return;
        }
        if (interrupted() && !std::exchange(asked, true)) kill(child, SIGTERM);
        std::array<pollfd, 2> ready{pollfd{out.reader(), POLLIN, 0}, pollfd{err.reader(), POLLIN, 0}};
        if (poll(ready.data(), ready.size(), milliseconds_between_looks) <= 0) continue;
        if (ready[0].revents != 0) (void)out.read_into(ended.out);
        if (ready[1].revents != 0) (void)err.read_into(ended.err);
    }
}

}  // namespace

std::optional<Ended> run_program(const std::string& program, std::vector<std::string> command,
                                 const RunLimits* limits) {
    Pipe out;
    Pipe err;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out.writer(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.writer(), STDERR_FILENO);
    if (limits != nullptr) posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    std::vector<char*> arguments;
    for (std::string& word : command) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    if (limits != nullptr) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // to kill all that it starts
    const int error = posix_spawnp(&child, program.c_str(), &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT) return std::nullopt;
    if (error != 0) throw OutputError(std::string("no further process: ") + std::strerror(error), false);
    out.close_writer();
    err.close_writer();
    Ended ended;
    read_all(child, out, err, limits, ended);
    while (waitpid(child, &ended.status, 0) < 0)
        if (errno != EINTR) throw OutputError(std::string("no exit status: ") + std::strerror(errno), false);
    return ended;
}

Ended run_kport(std::vector<std::string> command) {
    std::optional<Ended> ended = run_program("/proc/self/exe", std::move(command));
    invariant(ended.has_value(), "a program that runs is there");
    return *std::move(ended);
}

Pipe::Pipe() {
    constexpr int lowest = STDERR_FILENO + 1;
    const auto require = [](bool holds) {
        if (!holds) throw OutputError(std::string("no pipe: ") + std::strerror(errno), false);
    };
    require(pipe2(ends_.data(), O_CLOEXEC) == 0);
    for (int& end : ends_)  // where a standard file is closed, its number is free
        if (end < lowest) {
            const int higher = fcntl(end, F_DUPFD_CLOEXEC, lowest);
            require(higher >= 0);
            close(std::exchange(end, higher));
        }
}

Pipe::~Pipe() {
    close_end(0);
    close_end(1);
}

bool Pipe::read_into(std::string& text) {
    std::array<char, 1 << 16> buffer{};
    const ssize_t got = read(ends_[0], buffer.data(), buffer.size());
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) close_end(0);
    return got > 0;
}

void Pipe::close_end(std::size_t end) {
    if (ends_[end] >= 0) close(std::exchange(ends_[end], -1));
}

namespace {

constexpr std::size_t relayed_max = std::size_t{1} << 20;
constexpr std::size_t line_max = 4096;

}  // namespace

bool Relayed::pass_on() {
    if (pipe_.reader() < 0 || !pipe_.read_into(line_)) return false;
    write_lines();
    return true;
}

void Relayed::finish() {
    if (!line_.empty() && !speaker_.empty()) line_ += '\n';
    write_lines();
}

void Relayed::write_lines() {
    if (speaker_.empty() || written_ > relayed_max) {
        write(line_);
        line_.clear();
        return;
    }
    std::string lines;
    std::size_t at = 0;
    for (std::size_t end = 0; (end = line_.find('\n', at)) != std::string::npos || line_.size() - at > line_max;) {
        const std::size_t size = std::min(end, at + line_max) - at;
        lines += fmt::format("{}: {}\n", speaker_, one_line(std::string_view(line_).substr(at, size), line_max));
        at += size + (at + size == end ? 1 : 0);
    }
    line_.erase(0, at);
    if (!lines.empty()) write(lines);
}

void Relayed::write(std::string_view text) {
    if (written_ > relayed_max) return;
    write_err(text.substr(0, relayed_max - std::min(written_, relayed_max) + 1));
    written_ += text.size();
    if (written_ > relayed_max) complain(fmt::format("{} writes more than 1 MiB; the rest is left out", name_));
}

}  // namespace kport::cli
