#include "app/cli/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "app/cli/interrupt.hpp"
#include "app/cli/output.hpp"
#include "app/cli/pipe.hpp"
#include "emulator/base/error.hpp"

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

}  // namespace kport::cli
