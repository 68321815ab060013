#include "app/cli/progress.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"

namespace kport::cli {

namespace {

std::atomic<bool> flag = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch only lock-free atomics");

std::atomic<bool> nothing_to_tell = true;

/// What goes on while there is nothing to tell. Texts stay: the handler may be reading one while the next is told.
std::atomic<const std::string*> at_work = nullptr;

/// Only what a signal handler may call.
void write_error(std::string_view text) {
    const int saved = errno;
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) errno = saved;
}

std::atomic<int> told_status = -1;

extern "C" void on_signal(int) {
    if (const int status = told_status.load(std::memory_order_relaxed); status >= 0) _exit(status);
    if (nothing_to_tell.load(std::memory_order_relaxed)) {
        write_error("kport: interrupted; no results");
        if (const std::string* what = at_work.load(std::memory_order_acquire)) {
            write_error(" (");
            write_error(*what);
            write_error(")");
        }
        write_error("\n");
        _exit(status_stopped);
    }
    // Relaxed: nothing else is handed over with the flag.
    flag.store(true, std::memory_order_relaxed);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    std::signal(SIGHUP, SIG_DFL);
    if (stderr_is_terminal()) write_error("\nkport: stopping soon; once more kills\n");
}

}  // namespace

void listen_for_signals() {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction before = {};
    sigaction(SIGHUP, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup: the run survives its terminal
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGCHLD, SIG_DFL);  // inherited as ignored, it would lose the exit status of every child
}

void nothing_to_tell_while(const std::string& at_work_now) {
    static std::vector<std::unique_ptr<const std::string>> all;
    all.push_back(std::make_unique<const std::string>(at_work_now));
    at_work.store(all.back().get(), std::memory_order_release);
}

void something_to_tell() { nothing_to_tell.store(false, std::memory_order_relaxed); }

void has_told_why(int status) { told_status.store(status, std::memory_order_relaxed); }

void interrupt() { flag.store(true, std::memory_order_relaxed); }

const std::atomic<bool>& interrupted() { return flag; }

}  // namespace kport::cli
