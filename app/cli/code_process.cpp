#include "app/cli/code_process.hpp"

#include <fcntl.h>
#ifdef KPORT_SECCOMP
#include <seccomp.h>
#endif
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "app/cli/commands.hpp"
#include "emulator/base/error.hpp"

namespace kport::cli {

namespace {

int report_pipe = -1;
pid_t reporting_process = 0;
std::mutex reporting;
std::atomic<bool> is_ending = false;
bool is_sealed = false;

void write_report(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write(report_pipe, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) std::_Exit(status_stopped);
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

#ifdef KPORT_SECCOMP
/// What programs of nodes have no use for: processes and threads, sockets, other processes' memory, changes to files.
constexpr int forbidden_calls[] = {SCMP_SYS(fork),
                                   SCMP_SYS(vfork),
                                   SCMP_SYS(clone),
                                   SCMP_SYS(clone3),
                                   SCMP_SYS(execve),
                                   SCMP_SYS(execveat),
                                   SCMP_SYS(socket),
                                   SCMP_SYS(socketpair),
                                   SCMP_SYS(ptrace),
                                   SCMP_SYS(kill),
                                   SCMP_SYS(process_vm_readv),
                                   SCMP_SYS(process_vm_writev),
                                   SCMP_SYS(bpf),
                                   SCMP_SYS(unshare),
                                   SCMP_SYS(userfaultfd),
                                   SCMP_SYS(perf_event_open),
                                   SCMP_SYS(io_uring_setup),
                                   SCMP_SYS(openat2),
                                   SCMP_SYS(creat),
                                   SCMP_SYS(memfd_create),
                                   SCMP_SYS(mkdir),
                                   SCMP_SYS(mkdirat),
                                   SCMP_SYS(mknod),
                                   SCMP_SYS(mknodat),
                                   SCMP_SYS(symlink),
                                   SCMP_SYS(symlinkat),
                                   SCMP_SYS(link),
                                   SCMP_SYS(linkat),
                                   SCMP_SYS(rename),
                                   SCMP_SYS(renameat),
                                   SCMP_SYS(renameat2),
                                   SCMP_SYS(unlink),
                                   SCMP_SYS(unlinkat),
                                   SCMP_SYS(truncate),
                                   SCMP_SYS(shmget),
                                   SCMP_SYS(pidfd_open)};
/// With the argument that holds the flags.
constexpr std::pair<int, unsigned> calls_that_open[] = {{SCMP_SYS(open), 1}, {SCMP_SYS(openat), 2}};
#endif

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

bool sealed() { return is_sealed; }

bool sealed_if_asked() {
    if (std::getenv("KPORT_SEALED") == nullptr) return false;
    give_signs_of_life();
#ifdef KPORT_SECCOMP
    const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
    bool holds = filter != nullptr && seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1) == 0;
    for (const int call : forbidden_calls)
        holds = holds && seccomp_rule_add(filter.get(), SCMP_ACT_KILL_PROCESS, call, 0) == 0;
    for (const auto& [call, argument] : calls_that_open)
        for (const unsigned flag : {unsigned{O_WRONLY}, unsigned{O_RDWR}, unsigned{O_CREAT}}) {
            const scmp_arg_cmp has_flag{argument, SCMP_CMP_MASKED_EQ, flag, flag};
            holds = holds && seccomp_rule_add_array(filter.get(), SCMP_ACT_KILL_PROCESS, call, 1, &has_flag) == 0;
        }
    is_sealed = holds && seccomp_load(filter.get()) == 0;
    if (is_sealed) return true;
#endif
    throw RequestError("KPORT_SEALED: this system cannot seal a process; want a kernel with seccomp, and libseccomp");
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
