#include "cli/supervised.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace kport::cli {

namespace {

/// Shared by the two processes: whether the child has said its last word. Null: nobody supervises.
std::atomic<bool>* said = nullptr;
pid_t child = 0;

/// What a terminal sends goes to both processes, what kill() sends to the first alone.
extern "C" void pass_on(int signal, siginfo_t* from, void*) {
    const int saved = errno;
    if (from->si_code == SI_USER) kill(child, signal);
    errno = saved;
}

void pass_signals_on() {
    struct sigaction action = {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before = {};
        sigaction(signal, nullptr, &before);
        if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    }
}

/// A signal that was meant for the program ends this process in the same way.
bool was_asked_to_end(int signal) {
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGPIPE || signal == SIGQUIT;
}

[[noreturn]] void wait_for_child(const std::string& what) {
    pass_signals_on();
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        if (was_asked_to_end(signal)) {
            std::signal(signal, SIG_DFL);
            (void)raise(signal);
        }
        complain(signal == SIGKILL
                     ? fmt::format("{} was killed, as the system does where memory runs out; no verdict", what)
                     : fmt::format("{} crashed: {}; no verdict", what, strsignal(signal)));
        _exit(status_stopped);
    }
    if (!*said && WEXITSTATUS(status) <= status_wrong) {
        complain(fmt::format("{} ended the whole program (with exit() or so); no verdict", what));
        _exit(status_stopped);
    }
    _exit(WEXITSTATUS(status));
}

}  // namespace

void go_on_supervised(const std::string& what) {
    if (said != nullptr) return;
    void* const page = mmap(nullptr, sizeof(*said), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw std::bad_alloc();
    said = new (page) std::atomic<bool>(false);
    child = fork();
    if (child < 0) throw OutputError(std::string("no further process: ") + std::strerror(errno), false);
    if (child > 0) wait_for_child(what);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

bool supervised() { return said != nullptr; }

int last_word(int status) {
    if (supervised()) *said = true;
    return status;
}

}  // namespace kport::cli
