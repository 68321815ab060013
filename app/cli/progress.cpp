#include "app/cli/progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/cli/code_process.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/cli/program.hpp"
#include "app/requests/client.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

SignsOfLife::SignsOfLife()
    : terminal_(stderr_is_terminal()), next_(start_ + std::chrono::seconds(terminal_ ? 2 : 10)) {}

SignsOfLife::~SignsOfLife() { clear_line(); }

void SignsOfLife::clear_line() {
    if (line_shown_) (void)std::fputs("\r\033[K", stderr);
    line_shown_ = false;
}

void SignsOfLife::remark(std::string_view text) {
    const std::scoped_lock lock(writing_);
    clear_line();
    complain(text);
}

void SignsOfLife::show(std::string_view text) {
    const Clock::time_point now = Clock::now();
    next_ = now + (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10));
    const double seconds = std::chrono::duration<double>(now - start_).count();
    std::string line = fmt::format("{:.0f} s: {}", seconds, text);
    const std::size_t most = terminal_ ? width_of_stdout() - 1 : 200;  // it is overwritten: names of graphs may be long
    if (line.size() > most) line = line.substr(0, most - 3) + "...";
    const std::scoped_lock lock(writing_);
    (void)std::fputs((terminal_ ? "\r\033[K" + line : "kport: " + line + "\n").c_str(), stderr);
    (void)std::fflush(stderr);
    line_shown_ = terminal_;
}

Meanwhile::Meanwhile(std::string text) : text_(std::move(text)) {
    try {
        showing_ = std::thread([this] { show_until_over(); });
    } catch (const std::system_error&) {
        showing_ = {};  // the system gives no thread: then nothing is shown
    }
}

void Meanwhile::show(std::string_view text) {
    const std::scoped_lock lock(telling_);
    text_ = text;
}

void Meanwhile::show_until_over() {
    SignsOfLife signs;
    const std::future<void> over = over_.get_future();
    while (over.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
        if (!signs.due()) continue;
        const std::scoped_lock lock(telling_);
        signs.show(text_);
    }
}

Meanwhile::~Meanwhile() {
    over_.set_value();
    if (showing_.joinable()) showing_.join();
}

void ProgressDisplay::show(const Metrics& metrics, std::uint64_t reached) {
    if (!signs_.due()) return;
    signs_.show(fmt::format("round {}, {}, {} of {} reached", grouped_count(metrics.rounds),
                            grouped_count(metrics.transfers, "message"), grouped_count(reached_before_ + reached),
                            grouped_count(nodes_, "node")));
}

namespace {
constexpr int seconds_of_own_program = 10;
}

std::optional<std::string> given_up(const Computing& computing, const std::string& what) {
    if (computing.stopping) return fmt::format("stopped without a report in {}", what);
    if (!supervised() || computing.seconds < seconds_of_own_program) return std::nullopt;
    return fmt::format("stopped without a report in {}; a program in a file may compute for {} s", what,
                       seconds_of_own_program);
}

Caller Attended::caller() {
    Caller caller;
    caller.stop = &interrupted();
    caller.ranks = requests::sealed() ? requests::forked_ranks() : joined_ranks();
    if (requests::sealed()) return caller;  // signs of life need threads
    caller.begins = [this](const Chosen& chosen) { begin(chosen); };
    caller.progress = [this](const Metrics& metrics, std::uint64_t reached) {
        something_to_tell();
        set_up_.reset();
        progress_->show(metrics, reached);
    };
    caller.computing = [this](const Computing& computing) { tell_computing(computing); };
    caller.ended = [this](const Outcome& outcome) { end(outcome); };
    return caller;
}

void Attended::begin(const Chosen& chosen) {
    experiment_ = chosen.experiment;
    const Topology& topology = experiment_.topology();
    const std::string set_up =
        fmt::format("the run of {} on {} is being set up", chosen.algorithm->name, topology.spec());
    nothing_to_tell_while(set_up);
    set_up_.emplace(set_up);
    progress_.emplace(topology.nodes(), reached_before(chosen.algorithm->operation));
}

/// A node program holds up the run, and does not see that it is to stop.
void Attended::tell_computing(const Computing& computing) {
    const std::string what = text(computing, experiment_.topology());
    if (const auto why = given_up(computing, what)) {
        progress_->remark(*why);
        end_at_once(status_stopped);
    }
    nothing_to_tell_while(what);
    progress_->remark(what + "; Ctrl-C ends the run");
}

void Attended::end(const Outcome& outcome) {
    something_to_tell();
    set_up_.reset();
    progress_.reset();
    for (const std::string& warning : warnings_of(experiment_, outcome)) complain(warning);
}

}  // namespace kport::cli
