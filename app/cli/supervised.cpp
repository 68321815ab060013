#include "app/cli/supervised.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/cli/code_process.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/cli/process.hpp"
#include "app/cli/progress.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/memory_limit.hpp"

namespace kport::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds silence_max{10};

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

/// Ends the process with the code and all that it has started. `others`: children that this process had before, as a shell that
/// replaces itself leaves some.
void end_descendants(pid_t child, const std::vector<pid_t>& others) {
    constexpr int rounds_max = 10000;
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    for (int i = 0; i < rounds_max; ++i) {
        bool any = waitpid(child, nullptr, WNOHANG) == 0;
        for (const pid_t pid : children()) {
            if (pid == child || std::ranges::find(others, pid) != others.end()) continue;
            any = true;
            kill(pid, SIGKILL);
            (void)waitpid(pid, nullptr, WNOHANG);
        }
        if (!any) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

/// Keeps signals that ask to end pending while it lives.
class SignalsHeld {
  public:
    SignalsHeld() {
        sigset_t held;
        sigemptyset(&held);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
        sigprocmask(SIG_BLOCK, &held, &before_);
    }
    ~SignalsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;

  private:
    sigset_t before_;
};

bool asks_to_end(int signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP; }

bool is_kind(char kind) {
    switch (static_cast<Piece>(kind)) {
        case Piece::alive:
        case Piece::text:
        case Piece::schedule:
        case Piece::claims:
        case Piece::end: return true;
    }
    return false;
}

}  // namespace

class Supervision::Impl {
  public:
    explicit Impl(std::string what) : what_(std::move(what)), printed_(out_, what_, what_), said_(err_, "", what_) {}
    ~Impl() {
        if (child_ <= 0) return;
        drain();
        code_process = 0;
        end_descendants(child_, others_);
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
        others_ = children();
        const SignalsHeld held;  // until both processes know where a signal goes
        pass_signals_on();
        child_ = fork();
        if (child_ < 0) throw OutputError(std::string("no further process: ") + std::strerror(errno), false);
        if (child_ == 0) {
            become_code_process(report_.writer(), out_.writer(), err_.writer(), judge);
            listen_for_signals();
            return false;
        }
        code_process = child_;
        for (Pipe* pipe : {&report_, &out_, &err_}) {
            pipe->close_writer();
            fcntl(pipe->reader(), F_SETFL, O_NONBLOCK);
        }
        fcntl(report_.reader(), F_SETPIPE_SZ, 1 << 20);  // fewer turns; less does as well
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
            throw NoVerdict(fmt::format("{} sent a report that cannot be read; no verdict", what_), status_stopped);
        if (report_bytes_.size() - at_ - head_bytes < size) return std::nullopt;
        if (static_cast<Piece>(kind) != Piece::alive) bytes.append(report_bytes_, at_ + head_bytes, size);
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
            throw DoesNotFit(fmt::format("the report of {} needs more memory than there is", what_));
    }

    /// Until there may be more of the report.
    void wait() {
        constexpr int milliseconds_between_looks = 100;
        std::array<pollfd, 3> ready{pollfd{report_.reader(), POLLIN, 0}, pollfd{out_.reader(), POLLIN, 0},
                                    pollfd{err_.reader(), POLLIN, 0}};
        (void)poll(ready.data(), ready.size(), milliseconds_between_looks);
        if (ready[1].revents != 0) (void)printed_.pass_on();
        if (ready[2].revents != 0) (void)said_.pass_on();
        if (!read_on()) require_running();
    }

    bool read_on() {
        constexpr int reads_max = 16;
        report_bytes_.erase(0, std::exchange(at_, 0));
        int reads = 0;
        while (reads < reads_max && report_.reader() >= 0 && report_.read_into(report_bytes_)) ++reads;
        if (reads > 0) heard_ = Clock::now();
        return reads > 0;
    }

    /// It is not reaped before end_descendants(): until then its number is no other process's.
    void require_running() {
        siginfo_t info = {};
        const bool has_changed =
            waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid == child_;
        if (has_changed && info.si_code == CLD_STOPPED)
            throw NoVerdict(fmt::format("{} was stopped by a signal: {}; no verdict", what_, strsignal(info.si_status)),
                            status_stopped);
        if (has_changed && !read_on()) report_end(info);  // what it wrote before its end comes first
        if (Clock::now() - heard_ > silence_max)
            throw NoVerdict(
                fmt::format("{} gave no sign of life for {} s and was ended; no verdict", what_, silence_max.count()),
                status_stopped);
    }

    /// It ended, and its report did not.
    [[noreturn]] void report_end(const siginfo_t& info) {
        drain();
        code_process = 0;
        const bool is_killed = info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED;
        const int signal = info.si_status;
        if (signals_passed != 0 && is_killed && asks_to_end(signal)) {
            end_descendants(child_, others_);
            std::signal(signal, SIG_DFL);
            (void)raise(signal);
        }
        if (signals_passed != 0) throw NoVerdict("", status_stopped);
        if (!is_killed)
            throw NoVerdict(fmt::format("{} ended the whole program (with exit() or so); no verdict", what_),
                            status_stopped);
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
    std::vector<pid_t> others_;  ///< children from before
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

}  // namespace kport::cli
