#include "tests/cli/kport.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace kport::test {

namespace {

using Clock = std::chrono::steady_clock;

/// A pipe or a terminal: the program writes at one end, the test reads at the other.
struct Channel {
    int read = -1;
    int write = -1;

    static Channel pipe() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
        return {ends[0], ends[1]};
    }
    static Channel terminal(unsigned columns) {
        Channel channel;
        const winsize size{24, static_cast<unsigned short>(columns), 0, 0};
        if (openpty(&channel.read, &channel.write, nullptr, nullptr, &size) != 0) throw std::runtime_error("openpty");
        fcntl(channel.read, F_SETFD, FD_CLOEXEC);
        fcntl(channel.write, F_SETFD, FD_CLOEXEC);
        return channel;
    }
};

void limit(int resource, const std::optional<std::uint64_t>& bytes) {
    if (!bytes) return;
    const rlimit both{*bytes, *bytes};
    setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

/// Pins to the first allowed processor.
void keep_to_one_processor() {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
    int first = 0;
    while (!CPU_ISSET(first, &allowed)) ++first;
    CPU_ZERO(&allowed);
    CPU_SET(first, &allowed);
    sched_setaffinity(0, sizeof(allowed), &allowed);
}

/// Runs in the child: never returns.
[[noreturn]] void become_kport(const std::vector<std::string>& arguments, const Place& place, const Channel& out,
                               const Channel& err) {
    dup2(err.write, STDERR_FILENO);
    if (place.out_closed)
        close(STDOUT_FILENO);
    else
        dup2(place.out ? open(place.out->c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600) : out.write, STDOUT_FILENO);
    if (place.columns)
        setenv("COLUMNS", place.columns->c_str(), 1);
    else
        unsetenv("COLUMNS");
    for (const std::string& entry : place.environment) putenv(const_cast<char*>(entry.c_str()));
    limit(RLIMIT_AS, place.address_space);
    limit(RLIMIT_FSIZE, place.file_size);
    if (place.one_processor) keep_to_one_processor();
    std::vector<char*> argv = {const_cast<char*>("kport")};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(KPORT_PROGRAM, argv.data());
    _exit(127);
}

/// Appends the available bytes; false at the end of the channel.
bool take(int file, std::string& into) {
    std::array<char, 4096> buffer;
    const ssize_t got = read(file, buffer.data(), buffer.size());
    if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
}

/// Reads both channels to their end, sends the signal when it is due, kills what runs too long.
void attend(pid_t child, const Place& place, int out, int err, Outcome& outcome) {
    const Clock::time_point start = Clock::now();
    bool signal_due = place.signal.has_value();
    std::array<pollfd, 2> files = {{{out, POLLIN, 0}, {err, POLLIN, 0}}};
    std::array<std::string*, 2> texts = {&outcome.out, &outcome.err};
    while (files[0].fd >= 0 || files[1].fd >= 0) {
        poll(files.data(), files.size(), 20);
        const auto passed = Clock::now() - start;
        if (signal_due && passed >= place.delay) {
            kill(child, *place.signal);
            signal_due = false;
        }
        if (passed > std::chrono::seconds(60)) kill(child, SIGKILL);
        for (std::size_t i = 0; i < files.size(); ++i)
            if (files[i].fd >= 0 && files[i].revents != 0 && !take(files[i].fd, *texts[i])) files[i].fd = -1;
    }
}

}  // namespace

Outcome kport(const std::vector<std::string>& arguments, const Place& place) {
    const Channel out = place.terminal ? Channel::terminal(place.terminal_columns) : Channel::pipe();
    const Channel err = place.terminal ? Channel{-1, out.write} : Channel::pipe();
    unsetenv("NO_COLOR");
    unsetenv("TERM");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork");
    if (child == 0) become_kport(arguments, place, out, err);
    close(out.write);
    if (!place.terminal) close(err.write);

    Outcome outcome;
    attend(child, place, out.read, err.read, outcome);
    int status = 0;
    waitpid(child, &status, 0);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    close(out.read);
    if (!place.terminal) close(err.read);
    return outcome;
}

std::vector<std::string> words(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> list;
    for (std::string word; stream >> word;) list.push_back(word);
    return list;
}

}  // namespace kport::test
