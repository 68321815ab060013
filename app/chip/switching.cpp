#include "app/chip/measurements.hpp"

#include <coroutine>
#include <cstdint>

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "emulator/base/error.hpp"
#include "emulator/node/program.hpp"

namespace kport::chip {

namespace {

// Not inlined: a compiler that sees the whole program (clang does) would remove the timed code.
[[gnu::noinline]] Program counting_for_ever(std::uint64_t& count) {
    while (true) {
        ++count;
        co_await std::suspend_always{};
    }
}

[[gnu::noinline]] Program counting_once(std::uint64_t& count) {
    ++count;
    co_return;
}

/// While it lives, programs created here get their frames from its pool, as under an engine.
class Frames {
    FramePool pool_;
    RunsNodes here_{pool_};
};

}  // namespace

Statistics task_time(const Limits& limits) {
    constexpr std::uint64_t together = 256;
    tbb::task_arena arena(1);
    return sample(limits, [&](const Batch& batch) {
        std::uint64_t count = 0;
        const double ns = timed([&] {
            arena.execute([&] {
                tbb::task_group group;
                for (std::uint64_t i = 0; i < batch.repetitions; ++i) {
                    for (std::uint64_t k = 0; k < together; ++k) group.run([&count] { ++count; });
                    group.wait();
                }
            });
        });
        invariant(count == batch.repetitions * together, "every task ran");
        return Took{ns, batch.repetitions * together};
    });
}

Statistics resume_time(const Limits& limits) {
    const Frames frames;
    std::uint64_t count = 0;
    Program program = counting_for_ever(count);
    const Program::Handle handle = program.release();
    struct Destroy {
        Program::Handle handle;
        ~Destroy() { handle.destroy(); }
    } const at_end{handle};
    return sample(limits, [&](const Batch& batch) {
        const std::uint64_t before = count;
        const double ns = timed([&] {
            for (std::uint64_t i = 0; i < batch.repetitions; ++i) handle.resume();
        });
        invariant(count == before + batch.repetitions, "the program ran each time");
        return Took{ns, batch.repetitions};
    });
}

Statistics program_time(const Limits& limits) {
    const Frames frames;
    return sample(limits, [&](const Batch& batch) {
        std::uint64_t count = 0;
        const double ns = timed([&] {
            for (std::uint64_t i = 0; i < batch.repetitions; ++i) {
                const Program::Handle handle = counting_once(count).release();
                handle.resume();
                handle.destroy();
            }
        });
        invariant(count == batch.repetitions, "every program ran");
        return Took{ns, batch.repetitions};
    });
}

}  // namespace kport::chip
