#include "app/measure/measurement.hpp"

#include <algorithm>
#include <utility>

#include "app/measure/bare_loop.hpp"
#include "app/measure/contenders.hpp"

namespace kport::measure {

void Result::add_start(const std::vector<Lap>& laps) {
    std::vector<double> of_this_start;
    for (const Lap& lap : laps) of_this_start.push_back(lap.seconds);
    timing.laps.insert(timing.laps.end(), laps.begin(), laps.end());
    const chip::Statistics one = chip::statistics_of(of_this_start);
    starts.push_back(one.median);
    const double least = seconds.count == 0 ? one.least : std::min(seconds.least, one.least);
    seconds = starts.size() == 1 ? one : chip::statistics_of(starts);
    seconds.least = least;
}

double Result::spread() const {
    const auto [least, greatest] = std::minmax_element(starts.begin(), starts.end());
    return (*greatest - *least) / seconds.median;
}

const Result* Measurement::yardstick(std::string_view contender) const {
    const auto found = std::find_if(results.begin() + 1, results.end(),
                                    [&](const Result& result) { return result.timing.contender == contender; });
    return found == results.end() ? nullptr : &*found;
}

std::optional<double> Measurement::ns_a_message() const {
    if (metrics.transfers == 0) return std::nullopt;
    return task().seconds.median * 1e9 / static_cast<double>(metrics.transfers);
}

double Measurement::bytes_a_second(const Result& result) const {
    return static_cast<double>(metrics.bytes) / result.seconds.median;
}

namespace {

Contender the_task(const Task& task, Crew& crew, const std::atomic<bool>* stop) {
    if (task.replay) return by_mover(task, crew);
    return task.experiment.engine == EngineKind::free ? by_free_running(task, crew, stop)
                                                      : by_lockstep(task, crew, stop);
}

}  // namespace

std::optional<Measurement> measured(const Task& task, const Metrics& metrics, const Turns& turns) {
    Crew crew(task.experiment.thread_count());
    std::vector<Contender> contenders = {the_task(task, crew, turns.stop)};
    if (metrics.bytes > 0) contenders.push_back(by_memcpy(metrics.bytes, bytes_held(task)));
    if (std::optional<Contender> loop = by_bare_loop(task)) contenders.push_back(std::move(*loop));

    Measurement measurement{task.name(), task.experiment.thread_count(), metrics, {}, {}};
    for (Timing& timing : take_turns(contenders, turns)) {
        if (timing.laps.empty()) return std::nullopt;
        Result result{{timing.contender, timing.times, {}}, {}, {}};
        result.add_start(timing.laps);
        measurement.results.push_back(std::move(result));
    }
    measurement.why_not_pinned = crew.why_not_pinned();
    return measurement;
}

std::optional<chip::Statistics> measured_alone(const Task& task, const Turns& turns) {
    Crew crew(task.experiment.thread_count());
    const std::vector<double> seconds = take_turns({the_task(task, crew, turns.stop)}, turns).front().seconds();
    return seconds.empty() ? std::nullopt : std::optional(chip::statistics_of(seconds));
}

double besides_bytes(const Task& task) {
    const double yardsticks = bytes_held(task) + bare_loop(task).bytes;
    if (!task.replay) return yardsticks;
    // Per message: its entry in the schedule and in the plan of its bytes; three times what nodes hold, as values need.
    constexpr double bytes_message = 200;
    const auto nodes = static_cast<double>(task.topology().nodes());
    const auto work =
        expected_cost(*task.algorithm, task.experiment.machine, task.experiment.collective, task.experiment.options)
            .work;
    return yardsticks + 3 * bytes_held(task) + bytes_message * (work ? static_cast<double>(*work) : nodes);
}

}  // namespace kport::measure
