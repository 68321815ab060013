#include "bench/support/outcome.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string_view>

namespace kport::bench {

namespace {

std::int64_t cpu_now() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// A line of /proc/self/status, in bytes.
std::uint64_t status(std::string_view key) {
    std::ifstream file("/proc/self/status");
    for (std::string word; file >> word;)
        if (word == key) {
            std::uint64_t kibibytes = 0;
            file >> kibibytes;
            return kibibytes * 1024;
        }
    return 0;
}

/// Resets the process's peak of resident memory to the current value.
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace

Measurement::Measurement() {
    malloc_trim(0);
    reset_peak();
    resident_before_ = status("VmRSS:");
    go_on();
}

void Measurement::go_on() {
    cpu_start_ = cpu_now();
    wall_start_ = Clock::now();
}

void Measurement::pause() {
    wall_ns_ += std::chrono::duration<double, std::nano>(Clock::now() - wall_start_).count();
    cpu_ns_ += static_cast<double>(cpu_now() - cpu_start_);
}

Outcome Measurement::outcome(std::uint64_t messages, NodeId nodes, bool right) const {
    return {wall_ns_, cpu_ns_, status("VmHWM:") - std::min(status("VmHWM:"), resident_before_), messages, nodes, right};
}

bool tiny() { return std::getenv("KPORT_BENCH_TINY") != nullptr; }

}  // namespace kport::bench
