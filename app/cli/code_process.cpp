#include "app/cli/code_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <thread>

#include "app/cli/commands.hpp"
#include "app/requests/client.hpp"

namespace kport::cli {

namespace {

int report_pipe = -1;
pid_t reporting_process = 0;
std::mutex reporting;
std::atomic<bool> is_ending = false;

void write_report(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write(report_pipe, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) std::_Exit(status_stopped);
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

void become_code_process(int report, int out, int err, pid_t judge) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != judge) std::_Exit(status_stopped);
    prctl(PR_SET_DUMPABLE, 1);
    setsid();
    constexpr int lowest_free = STDERR_FILENO + 1;
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    dup2(report, lowest_free);
    fcntl(lowest_free, F_SETFD, FD_CLOEXEC);
    closefrom(lowest_free + 1);
    report_pipe = lowest_free;
    reporting_process = getpid();
}

namespace {
/// What this process reports and prints is lost.
void tell_nothing() {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO, report_pipe}) dup2(nowhere, output);
    close(nowhere);
    reporting_process = getpid();
}
}  // namespace

bool sealed_if_asked() {
    const char* const asked = std::getenv("KPORT_SEALED");
    if (asked == nullptr) return false;
    unsigned processes = 1;
    std::from_chars(asked, asked + std::strlen(asked), processes);
    if (processes > 1 && requests::fork_into(processes) != 0) tell_nothing();
    give_signs_of_life();
    requests::seal_process();
    return true;
}

bool supervised() { return report_pipe >= 0; }

void give_signs_of_life() {
    std::thread([] {
        while (!is_ending) {
            report_piece(Piece::alive, "");
            std::this_thread::sleep_for(std::chrono::seconds(1));
        }
    }).detach();
}

void report_piece(Piece kind, std::string_view bytes) {
    if (getpid() != reporting_process) std::_Exit(status_stopped);
    do {
        const std::string_view part = bytes.substr(0, piece_max);
        const auto size = static_cast<std::uint32_t>(part.size());
        std::array<char, head_bytes> head{static_cast<char>(kind)};
        std::memcpy(head.data() + 1, &size, sizeof size);
        const std::scoped_lock lock(reporting);
        write_report({head.data(), head.size()});
        write_report(part);
        bytes.remove_prefix(part.size());
    } while (!bytes.empty());
}

void end_at_once(int status) {
    if (supervised()) {
        is_ending = true;  // a program that holds its standard output locked must not look alive
        std::cout.flush();
        (void)std::fflush(stdout);
        const char byte = static_cast<char>(status);
        report_piece(Piece::end, {&byte, 1});
    }
    std::_Exit(status);
}

}  // namespace kport::cli
