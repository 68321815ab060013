#include "cli/progress.hpp"

#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

namespace kport::cli {

Progress::Progress(std::uint64_t nodes)
    : nodes_(nodes), terminal_(isatty(STDERR_FILENO) == 1), next_(start_ + std::chrono::seconds(terminal_ ? 2 : 10)) {}

Progress::~Progress() {
    if (line_shown_) (void)std::fputs("\r\033[K", stderr);
}

void Progress::show(const Metrics& metrics, std::uint64_t reached) {
    const Clock::time_point now = Clock::now();
    if (now < next_) return;
    next_ = now + (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10));
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const std::string text = fmt::format("{:.0f} s: round {}, {} messages, {} of {} nodes reached", seconds,
                                         metrics.rounds, metrics.transfers, reached + 1, nodes_);
    (void)std::fputs((terminal_ ? "\r\033[K" + text : "kport: " + text + "\n").c_str(), stderr);
    (void)std::fflush(stderr);
    line_shown_ = terminal_;
}

}  // namespace kport::cli
