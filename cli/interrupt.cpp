#include "cli/interrupt.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

#include "cli/commands.hpp"

namespace kport::cli {

namespace {

std::atomic<bool> flag = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch only lock-free atomics");

std::atomic<bool> nothing_to_tell = true;

/// Only what a signal handler may call.
void write_error(std::string_view text) {
    const int saved = errno;
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) errno = saved;
}

extern "C" void on_signal(int) {
    if (nothing_to_tell.load(std::memory_order_relaxed)) {
        write_error("kport: stopped before there was anything to tell\n");
        _exit(status_stopped);
    }
    // Relaxed: nothing else is handed over with the flag.
    flag.store(true, std::memory_order_relaxed);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    if (isatty(STDERR_FILENO) == 1) write_error("\nkport: stopping soon; once more kills\n");
}

}  // namespace

void listen_for_signals() {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    std::signal(SIGXFSZ, SIG_IGN);
}

void something_to_tell() { nothing_to_tell.store(false, std::memory_order_relaxed); }

const std::atomic<bool>& interrupted() { return flag; }

}  // namespace kport::cli
