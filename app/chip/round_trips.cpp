#include "app/chip/measurements.hpp"

#include <array>
#include <atomic>

#include "app/chip/team.hpp"

namespace kport::chip {

RoundTrip round_trip(Pu first, Pu second, const Limits& limits) {
    const std::array pus = {first, second};
    Team team(pus);
    // Two cache lines: some processors fetch them in pairs.
    struct alignas(128) Line {
        std::atomic<std::uint64_t> flag = 0;
    } line;
    constexpr std::uint64_t ended = 0;
    // Odd values are questions, even values answers.
    const auto ask = [&](const Batch& batch) {
        std::uint64_t done = 0;
        for (bool late = false; done < batch.repetitions && !late;) {
            const std::uint64_t value = 2 * ++done;
            line.flag.store(value - 1, std::memory_order_release);
            const bool prompt = spin_until([&] { return line.flag.load(std::memory_order_acquire) == value; });
            late = !prompt && batch.late();
        }
        line.flag.store(ended, std::memory_order_release);
        return done;
    };
    const auto answer = [&] {
        for (std::uint64_t value = 1;; value += 2) {
            std::uint64_t seen = 0;
            spin_until([&] { return (seen = line.flag.load(std::memory_order_acquire)) == value || seen == ended; });
            if (seen == ended) return;
            line.flag.store(value + 1, std::memory_order_release);
        }
    };
    const auto take = [&](const Batch& batch) {
        line.flag.store(2, std::memory_order_relaxed);  // neither the end nor a question
        std::uint64_t done = 0;
        const double ns = team.run([&](std::size_t member) {
            if (member == 0)
                done = ask(batch);
            else
                answer();
        });
        return Took{ns, done};
    };
    return {first, second, sample(limits, take)};
}

}  // namespace kport::chip
