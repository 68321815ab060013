#include "cli/supervised.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/pipe.hpp"
#include "cli/relayed.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/memory_limit.hpp"

namespace kport::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds silence_max{10};
constexpr std::size_t piece_max = std::size_t{1} << 16;
constexpr std::size_t head_bytes = 1 + sizeof(std::uint32_t);

// The judge's side. Signal handlers read these.
std::atomic<pid_t> code_process = 0;
std::atomic<int> signals_passed = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free, "a signal handler may touch only lock-free atomics");

/// The first two signals go to the process with the code, which ends its run in order; the next one ends this process.
extern "C" void pass_on(int signal) {
    const int saved = errno;
    if (const pid_t child = code_process; child > 0) kill(child, signal);
    if (++signals_passed == 2)
        for (const int each : {SIGINT, SIGTERM, SIGHUP}) std::signal(each, SIG_DFL);
    errno = saved;
}

void pass_signals_on() {
    struct sigaction action = {};
    action.sa_handler = pass_on;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before = {};
        sigaction(signal, nullptr, &before);
        if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    }
}

/// The processes whose parent this one is: with PR_SET_CHILD_SUBREAPER also those whose own parent has ended.
std::vector<pid_t> children() {
    std::ifstream list("/proc/thread-self/children");
    std::vector<pid_t> all;
    for (pid_t pid = 0; list >> pid;) all.push_back(pid);
    return all;
}

/// Ends the process with the code and all that it has started.
void end_descendants(pid_t child) {
    constexpr int rounds_max = 10000;
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    for (int i = 0; i < rounds_max; ++i) {
        for (const pid_t pid : children()) kill(pid, SIGKILL);
        pid_t ended = 0;
        while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
        }
        if (ended < 0 && errno == ECHILD) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

bool is_kind(char kind) { return std::strchr("atsce", kind) != nullptr && kind != '\0'; }

// The side of the code.
int report_pipe = -1;
pid_t reporting_process = 0;
std::mutex reporting;
std::atomic<bool> ending = false;

void write_report(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write(report_pipe, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) std::_Exit(status_stopped);
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// Another session: what a terminal sends, and kill(0), reach one side alone.
void become_process_with_code(const Pipe& report, const Pipe& out, const Pipe& err, pid_t judge) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != judge) std::_Exit(status_stopped);
    prctl(PR_SET_DUMPABLE, 1);
    setsid();
    constexpr int lowest_free = STDERR_FILENO + 1;
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    dup2(out.writer(), STDOUT_FILENO);
    dup2(err.writer(), STDERR_FILENO);
    dup2(report.writer(), lowest_free);
    fcntl(lowest_free, F_SETFD, FD_CLOEXEC);
    syscall(SYS_close_range, lowest_free + 1, ~0U, 0);
    report_pipe = lowest_free;
    reporting_process = getpid();
}

}  // namespace

class Supervision::Impl {
  public:
    explicit Impl(std::string what) : what_(std::move(what)), printed_(out_, what_, what_), said_(err_, "", what_) {}
    ~Impl() {
        if (child_ <= 0) return;
        drain();
        code_process = 0;
        end_descendants(child_);
        if (end_of_child_ >= 0) close(end_of_child_);
        printed_.finish();
        listen_for_signals();
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    /// Returns false in the new process.
    bool divide() {
        const pid_t judge = getpid();
        remember_terminal();
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        prctl(PR_SET_DUMPABLE, 0);  // no other process of an ordinary user reads its memory or its files
        pass_signals_on();
        child_ = fork();
        if (child_ < 0) throw OutputError(std::string("no further process: ") + std::strerror(errno), false);
        if (child_ == 0) {
            become_process_with_code(report_, out_, err_, judge);
            listen_for_signals();
            return false;
        }
        code_process = child_;
        for (Pipe* pipe : {&report_, &out_, &err_}) {
            pipe->close_writer();
            fcntl(pipe->reader(), F_SETFL, O_NONBLOCK);
        }
        fcntl(report_.reader(), F_SETPIPE_SZ, 1 << 20);  // fewer turns; less does as well
        end_of_child_ = static_cast<int>(syscall(SYS_pidfd_open, child_, 0));
        heard_ = Clock::now();
        return true;
    }

    Piece next(std::string& bytes) {
        for (;;) {
            if (const auto kind = take(bytes); kind && *kind != Piece::alive)
                return *kind;
            else if (!kind)
                wait();
        }
    }

  private:
    /// The next piece, if all of it is there.
    std::optional<Piece> take(std::string& bytes) {
        if (report_bytes_.size() - at_ < head_bytes) return std::nullopt;
        const char kind = report_bytes_[at_];
        std::uint32_t size = 0;
        std::memcpy(&size, report_bytes_.data() + at_ + 1, sizeof size);
        if (!is_kind(kind) || size > piece_max)
            throw NoVerdict(
                fmt::format("{} ended without a complete schedule: its report cannot be read; no verdict", what_),
                status_stopped);
        if (report_bytes_.size() - at_ - head_bytes < size) return std::nullopt;
        bytes.append(report_bytes_, at_ + head_bytes, size);
        at_ += head_bytes + size;
        require_memory(size);
        return static_cast<Piece>(kind);
    }

    /// A report may grow as long as memory is left for judging it.
    void require_memory(std::size_t more) {
        constexpr std::size_t between_looks = std::size_t{16} << 20;
        constexpr std::uint64_t reserve = std::uint64_t{256} << 20;
        unlooked_ += more;
        if (unlooked_ < between_looks) return;
        unlooked_ = 0;
        if (memory_available() < reserve)
            throw DoesNotFit(fmt::format("the schedule of {} needs more memory than there is", what_));
    }

    /// Until there may be more of the report.
    void wait() {
        constexpr int milliseconds_between_looks = 100;
        std::array<pollfd, 4> ready{pollfd{report_.reader(), POLLIN, 0}, pollfd{out_.reader(), POLLIN, 0},
                                    pollfd{err_.reader(), POLLIN, 0}, pollfd{end_of_child_, POLLIN, 0}};
        (void)poll(ready.data(), ready.size(), milliseconds_between_looks);
        if (ready[1].revents != 0) (void)printed_.pass_on();
        if (ready[2].revents != 0) (void)said_.pass_on();
        const bool ended = ready[3].revents != 0;
        if (read_on()) return;
        if (ended) tell_end();
        require_running();
    }

    bool read_on() {
        constexpr int reads_max = 16;
        report_bytes_.erase(0, std::exchange(at_, 0));
        int reads = 0;
        while (reads < reads_max && report_.reader() >= 0 && report_.read_into(report_bytes_)) ++reads;
        if (reads > 0) heard_ = Clock::now();
        return reads > 0;
    }

    void require_running() const {
        siginfo_t info = {};
        if (waitid(P_PID, static_cast<id_t>(child_), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child_)
            throw NoVerdict(fmt::format("{} was stopped by a signal: {}; no verdict", what_, strsignal(info.si_status)),
                            status_stopped);
        if (Clock::now() - heard_ > silence_max)
            throw NoVerdict(
                fmt::format("{} gave no sign of life for {} s and was ended; no verdict", what_, silence_max.count()),
                status_stopped);
    }

    /// It ended, and its report did not.
    [[noreturn]] void tell_end() {
        drain();
        int status = 0;
        code_process = 0;
        waitpid(child_, &status, 0);
        if (signals_passed != 0 && WIFSIGNALED(status)) {
            end_descendants(child_);
            std::signal(WTERMSIG(status), SIG_DFL);
            (void)raise(WTERMSIG(status));
        }
        if (signals_passed != 0) throw NoVerdict("", status_stopped);
        if (!WIFSIGNALED(status))
            throw NoVerdict(fmt::format("{} ended the whole program (with exit() or so); no verdict", what_),
                            status_stopped);
        const int signal = WTERMSIG(status);
        throw NoVerdict(signal == SIGKILL
                            ? fmt::format("{} was killed, as the system does where memory runs out; no verdict", what_)
                            : fmt::format("{} crashed: {}; no verdict", what_, strsignal(signal)),
                        status_stopped);
    }

    /// Passes on what was printed so far: a writer that never stops does not hold this up.
    void drain() {
        bool more = true;
        for (int i = 0; i < 64 && more; ++i) {
            more = printed_.pass_on();
            more = said_.pass_on() || more;
        }
    }

    std::string what_;
    Pipe report_;
    Pipe out_;
    Pipe err_;
    Relayed printed_;
    Relayed said_;
    pid_t child_ = 0;
    int end_of_child_ = -1;
    std::string report_bytes_;
    std::size_t at_ = 0;
    std::size_t unlooked_ = 0;
    Clock::time_point heard_;
};

Supervision::Supervision(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Supervision::~Supervision() = default;

Piece Supervision::next(std::string& bytes) { return impl_->next(bytes); }

std::unique_ptr<Supervision> supervise(const std::string& what) {
    auto impl = std::make_unique<Supervision::Impl>(what);
    if (impl->divide()) return std::unique_ptr<Supervision>(new Supervision(std::move(impl)));
    [[maybe_unused]] const Supervision::Impl* const kept = impl.release();  // its pipes are those of this process now
    return nullptr;
}

bool passed_signal_on() { return signals_passed != 0; }

bool supervised() { return report_pipe >= 0; }

void give_signs_of_life() {
    std::thread([] {
        while (!ending) {
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
        ending = true;  // a program that holds its standard output locked must not look alive
        std::cout.flush();
        (void)std::fflush(stdout);
        const char byte = static_cast<char>(status);
        report_piece(Piece::end, {&byte, 1});
    }
    std::_Exit(status);
}

}  // namespace kport::cli
