#include "app/chip/survey.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "app/chip/measurements.hpp"
#include "emulator/base/memory_limit.hpp"

namespace kport::chip {

namespace {

using About = std::function<void(const std::string&)>;

void measure_round_trips(Survey& found, const Effort& effort, Limits limits, const About& about) {
    const std::size_t pairs = found.pus.size() * (found.pus.size() - 1) / 2;
    if (pairs == 0) return;
    constexpr std::chrono::nanoseconds least = std::chrono::milliseconds(2);
    constexpr std::chrono::nanoseconds most = std::chrono::milliseconds(200);
    limits.time = std::clamp(effort.round_trips / static_cast<std::int64_t>(pairs), least, std::max(least, most));
    for (std::size_t i = 0; i < found.pus.size(); ++i)
        for (std::size_t j = i + 1; j < found.pus.size(); ++j) {
            about(fmt::format("round trips, pair {} of {}", found.round_trips.size() + 1, pairs));
            found.round_trips.push_back(round_trip(found.pus[i], found.pus[j], limits));
        }
}

void measure_copying(Survey& found, const Limits& limits, const About& about) {
    const std::vector<std::uint64_t> sizes = copy_sizes(found.machine, found.memory);
    for (const unsigned threads : thread_counts(static_cast<unsigned>(found.pus.size()))) {
        const auto before = [&](std::uint64_t bytes) {
            about(
                fmt::format("copying {} bytes on each of {} {}", bytes, threads, threads == 1 ? "thread" : "threads"));
        };
        const std::vector<Copying> rows =
            copying(std::span(found.pus).first(threads), sizes, found.memory, limits, before);
        found.copying.insert(found.copying.end(), rows.begin(), rows.end());
    }
}

void measure_hand_over(Survey& found, const Limits& limits, const About& about) {
    for (const Carrier carrier : carriers)
        for (const Way way : ways) {
            if (threads_of(way) > found.pus.size()) continue;
            about(fmt::format("messages by {}, {}", name(carrier), name(way)));
            found.hand_over.push_back({carrier, way, hand_over(carrier, way, found.pus, limits)});
        }
}

void measure_switching(Survey& found, const Limits& limits, const About& about) {
    const Pinned here(found.pus[0]);
    about("tasks");
    found.task = task_time(limits);
    about("node programs");
    found.resume = resume_time(limits);
    found.program = program_time(limits);
}

}  // namespace

Survey survey(std::size_t threads, const Effort& effort, const std::atomic<bool>& stop, const About& about) {
    Survey found;
    found.machine = hardware();
    found.pus = found.machine.usable;
    found.pus.resize(std::min(threads, found.pus.size()));
    found.why_not_pinned = why_not_pinnable();
    found.memory = std::min(effort.memory, memory_available() / 4);
    const Limits limits{effort.figure, &stop};
    try {
        measure_round_trips(found, effort, limits, about);
        measure_hand_over(found, limits, about);
        measure_switching(found, limits, about);
        measure_copying(found, limits, about);
    } catch (const Stopped&) {
        found.stopped = true;
    }
    return found;
}

}  // namespace kport::chip
