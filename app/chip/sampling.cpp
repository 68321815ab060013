#include "app/chip/sampling.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "emulator/base/error.hpp"

namespace kport::chip {

Statistics sample(const Limits& limits, const std::function<Took(const Batch&)>& take) {
    constexpr double long_enough = 200'000;  // ns
    constexpr std::chrono::milliseconds too_long(10);
    constexpr std::size_t fewest = 6;  // with fewer, no interval has 95 %
    constexpr std::size_t most = 1000;
    const auto checked = [&](std::uint64_t repetitions) {
        if (limits.stop != nullptr && limits.stop->load(std::memory_order_relaxed)) throw Stopped();
        return take({repetitions, Clock::now() + too_long});
    };
    // The minimum of three: a disturbed batch would make all later ones too short.
    const auto least_ns = [&](std::uint64_t repetitions) {
        return std::min({checked(repetitions).ns, checked(repetitions).ns, checked(repetitions).ns});
    };

    const Clock::time_point start = Clock::now();
    std::uint64_t repetitions = 1;
    for (double ns = 0; (ns = least_ns(repetitions)) < long_enough;) {
        repetitions *= ns < long_enough / 8 ? 8 : 2;
        invariant(repetitions < std::uint64_t{1} << 40, "what is timed takes time: the compiler has not left it out");
    }

    std::vector<double> samples;
    while (samples.size() < fewest || (samples.size() < most && Clock::now() - start < limits.time)) {
        const Took took = checked(repetitions);
        samples.push_back(took.ns / static_cast<double>(took.repetitions));
    }
    return statistics_of(std::move(samples));
}

}  // namespace kport::chip
