#include "app/measure/contenders.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "app/measure/bare_loop.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/huge_array.hpp"
#include "emulator/engine/mover.hpp"

namespace kport::measure {

namespace {

Schedule recorded(const Task& task) {
    Schedule schedule;
    RunOptions options;
    options.recorded_schedule = &schedule;
    (void)run_algorithm(*task.algorithm, task.experiment.machine, task.experiment.collective, task.experiment.options,
                        {false, task.experiment.seed}, options);
    return schedule;
}

}  // namespace

Contender by_lockstep(const Task& task, Crew& crew, const std::atomic<bool>* stop) {
    const auto run = [&task, &crew, stop](std::uint64_t times) {
        RunOptions options;
        options.threads = task.experiment.thread_count();
        options.stop = stop;
        Lap sum;
        for (std::uint64_t i = 0; i < times; ++i) {
            RunResult result;
            const Lap whole = timed([&] {
                result = crew.run([&] {
                    return run_algorithm(*task.algorithm, task.experiment.machine, task.experiment.collective,
                                         task.experiment.options, {true, task.experiment.seed}, options);
                });
            });
            sum.seconds += result.wall_seconds;
            sum.cpu_seconds += whole.cpu_seconds;
        }
        return sum;
    };
    return {std::string(task.moved_by()), run};
}

Contender by_free_running(const Task& task, Crew& crew, const std::atomic<bool>* stop) {
    RunOptions options;
    options.engine = EngineKind::free;
    options.threads = task.experiment.thread_count();
    options.stop = stop;
    const std::shared_ptr<FreeAlgorithm> warm = crew.run([&] {
        return std::make_shared<FreeAlgorithm>(*task.algorithm, task.experiment.machine, task.experiment.collective,
                                               task.experiment.options, Payload{true, task.experiment.seed}, options);
    });
    const auto run = [warm, &crew, stop](std::uint64_t times) {
        double moving = 0;
        const Lap whole = timed([&] {
            crew.run([&] {
                for (std::uint64_t i = 0; i < times; ++i) {
                    const std::optional<RunResult> result = warm->run();
                    invariant(result || (stop != nullptr && *stop), "a run that free-running has kept before");
                    if (!result) return;  // stopped while it was recorded
                    moving += result->moving_seconds;
                }
            });
        });
        return Lap{moving, whole.cpu_seconds};
    };
    return {std::string(task.moved_by()), run};
}

Contender by_mover(const Task& task, Crew& crew) {
    const Schedule schedule = recorded(task);
    const auto mover = std::make_shared<Mover>(schedule, task.experiment.machine, task.experiment.collective,
                                               task.experiment.options.reduction, task.experiment.seed);
    const auto run = [mover, &task, &crew](std::uint64_t times) {
        mover->spoil();  // so that right bytes afterwards prove that they were moved now
        const Lap lap = crew.run([&] {
            return timed([&] {
                for (std::uint64_t i = 0; i < times; ++i) mover->move(task.experiment.thread_count());
            });
        });
        invariant(!mover->verify(), "what was moved is what was sent");
        return lap;
    };
    return {std::string(task.moved_by()), run};
}

Contender by_memcpy(std::uint64_t bytes_moved, double bytes_held) {
    const std::size_t half = std::max<std::size_t>(static_cast<std::size_t>(bytes_held / 2), 1);
    const auto memory = std::make_shared<HugeArray<std::byte>>(2 * half);
    std::memset(memory->data(), 1, memory->size());  // untouched pages would all map to one page of zeros
    const auto run = [memory, half, bytes_moved](std::uint64_t times) {
        return timed([&] {
            for (std::uint64_t i = 0; i < times; ++i)
                for (std::uint64_t left = bytes_moved; left > 0;) {
                    const std::size_t size = std::min<std::uint64_t>(left, half);
                    std::memcpy(memory->data() + half, memory->data(), size);
                    std::atomic_signal_fence(std::memory_order_seq_cst);  // prevents the compiler from removing copies
                    left -= size;
                }
        });
    };
    return {"memcpy", run};
}

std::optional<Contender> by_bare_loop(const Task& task) {
    const BareLoopPlan plan = bare_loop(task);
    if (!plan.make) return std::nullopt;
    const std::shared_ptr<BareLoop> loop = plan.make();
    const auto run = [loop](std::uint64_t times) {
        return timed([&] {
            for (std::uint64_t i = 0; i < times; ++i) loop->run();
        });
    };
    return Contender{"bare_loop", run};
}

}  // namespace kport::measure
