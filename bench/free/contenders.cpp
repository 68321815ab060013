#include "bench/free/contenders.hpp"

#include <atomic>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>
#include <boost/lockfree/spsc_queue.hpp>

#include "algorithms/catalogue.hpp"
#include "app/chip/pinning.hpp"
#include "emulator/engine/free_running.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport::bench {

namespace {

Program along_the_line(Node& self, NodeId nodes) {
    if (self.id() != 0) co_await self.receive();
    if (self.id() + 1 < nodes) co_await self.send_to(self.id() + 1, Packet(0));
}

Program to_and_fro(Node& self, std::uint64_t messages) {
    const NodeId other = 1 - self.id();
    Value value = self.contribution();
    for (std::uint64_t i = 0; i < messages; ++i) {
        if (i % 2 == self.id()) {
            co_await self.send_to(other, value);
        } else {
            const Arrival arrival = co_await self.receive_from(other);
            value = arrival.value();
        }
    }
}

/// Runs the job twice: the second run has warm memory, as the other contenders have.
Outcome second_run(const Job& job, unsigned threads, std::uint64_t messages, bool must_be_lawful) {
    RunOptions options;
    options.threads = threads;
    FreeRunning engine(job, options);
    (void)engine.run();
    Measurement measurement;
    const auto result = engine.run();
    measurement.pause();
    const Verdict& verdict = result->verdict;
    Outcome outcome =
        measurement.outcome(messages, job.machine.topology->nodes(),
                            verdict.metrics.transfers == messages && (verdict.lawful() || !must_be_lawful));
    outcome.wall_ns = result->moving_seconds * 1e9;
    return outcome;
}

}  // namespace

Outcome free_sbt(int n, unsigned threads) {
    Machine machine;
    machine.topology = std::make_shared<const Hypercube>(n);
    machine.ports = PortLimit::all();
    const Collective collective = Collective::broadcast(0, 8);
    const Job job = make_job(algorithm_named("sbt", machine, collective, {}), machine, collective, {});
    return second_run(job, threads, machine.topology->nodes() - 1, true);
}

Outcome free_line(NodeId nodes, unsigned threads) {
    Job job;
    job.machine.topology = make_topology(fmt::format("line:{}", nodes));
    job.program = [nodes](Node& self) { return along_the_line(self, nodes); };
    job.starters = {0};
    job.collective = Collective::broadcast(0, 8);
    return second_run(job, threads, nodes - 1, true);
}

Outcome free_to_and_fro(std::uint64_t messages, unsigned threads) {
    Job job;
    job.machine.topology = make_topology("line:2");
    job.program = [messages](Node& self) { return to_and_fro(self, messages); };
    job.all_start = true;
    job.collective = {Operation::allreduce, 0, 8};
    // One value goes back and forth: not an operation of the model, so it is not audited.
    return second_run(job, threads, messages, false);
}

Outcome cache_line_to_and_fro(std::uint64_t messages) {
    struct alignas(128) {
        std::atomic<std::uint64_t> turn = 0;
    } line;
    const std::vector<chip::Pu>& pus = chip::usable_pus();
    const auto play = [&](std::uint64_t first, chip::Pu pu) {
        const chip::Pinned pinned(pu);
        for (std::uint64_t i = first; i < messages; i += 2) {
            while (line.turn.load(std::memory_order_acquire) != i)
                if (pus.size() == 1) std::this_thread::yield();
            line.turn.store(i + 1, std::memory_order_release);
        }
    };
    Measurement measurement;
    std::thread other(play, 1, pus.back());
    play(0, pus.front());
    other.join();
    measurement.pause();
    return measurement.outcome(messages, 2, line.turn == messages);
}

Outcome queue_and_task(std::uint64_t messages) {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    boost::lockfree::spsc_queue<std::uint64_t, boost::lockfree::capacity<64>> queue;
    std::uint64_t sum = 0;
    Measurement measurement;
    for (std::uint64_t i = 0; i < messages; ++i) {
        queue.push(i);
        tbb::task_group task;
        task.run([&] {
            std::uint64_t message = 0;
            if (queue.pop(message)) sum += message;
        });
        task.wait();
    }
    measurement.pause();
    return measurement.outcome(messages, 2, sum == messages * (messages - 1) / 2);
}

}  // namespace kport::bench
