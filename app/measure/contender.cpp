#include "app/measure/contender.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "app/session/options.hpp"

namespace kport::measure {

namespace {

using Clock = std::chrono::steady_clock;

/// A repetition takes at least this long: a thousand times the cost of reading the clock.
constexpr double lap_seconds_least = 20e-6;
/// Caches, branch predictors and the clock of the core settle within this time.
constexpr double warm_up_seconds = 0.05;

double cpu_now() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

bool stopped(const Turns& turns) { return turns.stop != nullptr && turns.stop->load(std::memory_order_relaxed); }

/// Runs the contender until it is warm, and determines how often it fits into a repetition.
Timing warmed_up(const Contender& contender, const Turns& turns) {
    Timing timing{contender.name, 1, {}};
    const Clock::time_point start = Clock::now();
    while (!stopped(turns)) {
        const double seconds = contender.run(timing.times).seconds;
        if (seconds < lap_seconds_least)
            timing.times *= 2;
        else if (Clock::now() - start >= std::chrono::duration<double>(warm_up_seconds))
            break;
    }
    return timing;
}

}  // namespace

Lap timed(const std::function<void()>& work) {
    const double cpu = cpu_now();
    const Clock::time_point start = Clock::now();
    work();
    const std::chrono::duration<double> passed = Clock::now() - start;
    return {passed.count(), cpu_now() - cpu};
}

std::vector<double> Timing::seconds() const {
    std::vector<double> all;
    all.reserve(laps.size());
    for (const Lap& lap : laps) all.push_back(lap.seconds);
    return all;
}

std::vector<Timing> take_turns(const std::vector<Contender>& contenders, const Turns& turns) {
    std::vector<Timing> timings;
    for (const Contender& contender : contenders) timings.push_back(warmed_up(contender, turns));
    const std::uint64_t least = turns.repetitions == 0 ? repetitions_least : turns.repetitions;
    const std::uint64_t most = turns.repetitions == 0 ? repetitions_most : turns.repetitions;
    const Clock::time_point start = Clock::now();
    const auto time_left = [&] { return Clock::now() - start < std::chrono::duration<double>(turns.seconds); };
    for (std::uint64_t done = 0; done < most && (done < least || time_left()) && !stopped(turns); ++done) {
        if (turns.tell) turns.tell(done);
        std::vector<Lap> laps;
        for (std::size_t i = 0; i < contenders.size(); ++i) laps.push_back(contenders[i].run(timings[i].times));
        if (stopped(turns)) break;  // an interrupted run is no measurement
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            const auto times = static_cast<double>(timings[i].times);
            timings[i].laps.push_back({laps[i].seconds / times, laps[i].cpu_seconds / times});
        }
    }
    return timings;
}

std::string Task::name() const {
    return fmt::format("{}/{}/{}/{}-port{}/{}/{}/threads:{}", kport::name(experiment.collective.operation),
                       algorithm->name, topology().spec(), experiment.machine.ports.text(), particulars(experiment),
                       experiment.collective.packet_bytes, moved_by(), experiment.thread_count());
}

double bytes_held(const Task& task) {
    const Collective& collective = task.experiment.collective;
    const NodeId nodes = task.topology().nodes();
    const bool all_get_all =
        collective.operation->carries == Carries::copies || collective.operation == Operation::allgather;
    return static_cast<double>(collective.packet_bytes) * static_cast<double>(collective.packets(nodes)) *
           (all_get_all ? static_cast<double>(nodes) : 1);
}

}  // namespace kport::measure
