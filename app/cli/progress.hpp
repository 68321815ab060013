/// @file progress.hpp   Runs that a user attends: progress on standard error for commands that take more than two seconds, Ctrl-C.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "app/requests/client.hpp"
#include "app/session/run.hpp"
#include "emulator/machine/metrics.hpp"

namespace kport::cli {

/// On a terminal one line that is overwritten and cleared at the end; elsewhere a line every ten seconds.
class SignsOfLife final : public requests::Signs {
  public:
    SignsOfLife();
    ~SignsOfLife() override;
    SignsOfLife(const SignsOfLife&) = delete;
    SignsOfLife& operator=(const SignsOfLife&) = delete;

    /// Whether one is due: call it before making a text.
    [[nodiscard]] bool due() const override { return Clock::now() >= next_; }
    /// Shows the elapsed seconds and the text.
    void show(std::string_view text) override;
    /// A line that stays, whatever is shown before and after it. Callers: any thread.
    void remark(std::string_view text);

  private:
    using Clock = std::chrono::steady_clock;

    void clear_line();

    bool terminal_;
    std::mutex writing_;
    bool line_shown_ = false;
    Clock::time_point start_ = Clock::now();
    Clock::time_point next_;
};

/// Shows a text as long as it lives, from a thread of its own.
class Meanwhile final : public requests::Signs {
  public:
    explicit Meanwhile(std::string text);
    ~Meanwhile() override;
    Meanwhile(const Meanwhile&) = delete;
    Meanwhile& operator=(const Meanwhile&) = delete;

    [[nodiscard]] bool due() const override { return true; }
    /// From now on another text.
    void show(std::string_view text) override;

  private:
    void show_until_over();

    std::mutex telling_;
    std::string text_;
    std::promise<void> over_;
    std::thread showing_;
};

/// What `work` gives; the text is shown meanwhile. Throws what it throws.
template <class Work>
auto with_signs_of_life(const std::string& text, const Work& work) {
    const Meanwhile shown(text);
    return work();
}

/// Shows the progress of a run; `reached` nodes need no message.
class ProgressDisplay {
  public:
    ProgressDisplay(std::uint64_t nodes, std::uint64_t reached) : nodes_(nodes), reached_before_(reached) {}

    /// The messages so far.
    void show(const Metrics& metrics, std::uint64_t reached);
    /// As SignsOfLife::remark().
    void remark(std::string_view text) { signs_.remark(text); }

  private:
    std::uint64_t nodes_;
    std::uint64_t reached_before_;
    SignsOfLife signs_;
};

/// The caller of runs, one after the other; must outlive them.
class Attended {
  public:
    Attended() = default;
    Attended(const Attended&) = delete;
    Attended& operator=(const Attended&) = delete;

    /// A run of it ends early when interrupted() is set.
    [[nodiscard]] Caller caller();

  private:
    void begin(const Chosen& chosen);
    void tell_computing(const Computing& computing);
    void end(const Outcome& outcome);

    Experiment experiment_;  ///< the one that runs
    std::optional<ProgressDisplay> progress_;
    std::optional<Meanwhile> set_up_;  ///< while tables and plans are made
};

/// Why the command ends here and now, where a node program computes on and on: it was asked to stop, or a program in a file has
/// had its time. `what`: text(computing, ...).
[[nodiscard]] std::optional<std::string> given_up(const Computing& computing, const std::string& what);

// Ctrl-C ends a run in its round, a measurement after its sample; before there is anything to tell it ends the program, as a second
// one does at any time.

/// From now on the first SIGINT, SIGTERM or SIGHUP sets the flag, and the next one kills. Also makes a file size limit an error
/// of write() instead of a death.
void listen_for_signals();

/// What a signal that comes before something_to_tell() finds going on: "sbt on hypercube:22 is being set up". One thread at a time.
void nothing_to_tell_while(const std::string& at_work);

/// There is something to tell from now on. Before, while tables of the machine's size are made, say, a signal ends the
/// program at once, with status 4 and a line that says so.
void something_to_tell();

/// It has been told why the program ends, with this status: a signal ends it so, without another word. A launcher sends one to the
/// rank that has told, when another rank is over before it.
void has_told_why(int status);

/// Sets interrupted(), as a signal does once there is something to report. Any thread.
void interrupt();

/// Whether one has come.
[[nodiscard]] const std::atomic<bool>& interrupted();

}  // namespace kport::cli
