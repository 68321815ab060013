/// @file pauses_test.cpp   Programs that pause at random, on random numbers of threads: the report is always that of
///                         one thread. Meant for ThreadSanitizer.
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "emulator/base/random.hpp"
#include "emulator/engine/free_running.hpp"
#include "tests/engine/scripts.hpp"

namespace kport {
namespace {

/// A possible pause of a program, usually none. Its counter orders nothing between threads.
class Pauses {
  public:
    Pauses(std::uint64_t seed, std::uint64_t one_in) : seed_(seed), one_in_(one_in) {}

    void here() {
        const std::uint64_t drawn = random_word(seed_, 0, count_.fetch_add(1, std::memory_order_relaxed));
        if (drawn % one_in_ != 0) return;
        if (drawn % 3 == 0)
            std::this_thread::sleep_for(std::chrono::microseconds(drawn / one_in_ % 50));
        else
            std::this_thread::yield();
    }

  private:
    std::uint64_t seed_;
    std::uint64_t one_in_;
    std::atomic<std::uint64_t> count_ = 0;
};

Program broadcast_by_tree(Node& self, Pauses& pauses) {
    const Port dimensions = self.topology().ports();
    Port next = 0;
    if (self.id() != 0) {
        const Arrival arrival = co_await self.receive();
        next = arrival.port + 1;
    }
    for (; next < dimensions; ++next) {
        pauses.here();
        co_await self.send(next, Packet(0));
    }
}

Program allgather_by_ring(Node& self, Pauses& pauses) {
    const NodeId nodes = self.topology().nodes();
    const NodeId before = (self.id() + nodes - 1) % nodes;
    const NodeId behind = (self.id() + 1) % nodes;
    PacketSet latest = PacketSet::range(self.id(), self.id() + 1);
    for (NodeId i = 1; i < nodes; ++i) {
        pauses.here();
        co_await self.send_to(behind, latest);
        const Arrival arrival = co_await self.receive_from(before);
        latest = arrival.packets();
    }
}

Program allreduce_by_exchange(Node& self, Pauses& pauses) {
    Value total = self.contribution();
    for (Port port = 0; port < self.topology().ports(); ++port) {
        pauses.here();
        co_await self.send(port, total);
        const Arrival arrival = co_await self.receive(port);
        total = arrival.from < self.id() ? self.fold(arrival.value(), total) : self.fold(total, arrival.value());
    }
    self.result(total);
}

struct Paused {
    const char* spec;
    Operation operation;
    std::uint64_t bytes;
    Program (*program)(Node&, Pauses&);
};
const Paused all_paused[] = {
    {"hypercube:5", Operation::broadcast, 8, broadcast_by_tree},
    {"ring:9", Operation::allgather, 8, allgather_by_ring},
    {"hypercube:4", Operation::allreduce, 8, allreduce_by_exchange},
    {"hypercube:4", Operation::allreduce, 24, allreduce_by_exchange},
};

TEST(Pauses, ChangeNothingOfARunWithoutRounds) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Paused& paused = all_paused[seed % std::size(all_paused)];
        Pauses pauses(seed, 4);
        Job job =
            test::job_of_all(test::machine(paused.spec), [&](Node& self) { return paused.program(self, pauses); });
        job.collective = {paused.operation, 0, paused.bytes};
        if (paused.operation == Operation::broadcast) job.all_start = false;
        const std::string right = test::text(test::run(job).verdict, *job.machine.topology);
        RunOptions options;
        options.threads = 1 + static_cast<unsigned>(random_word(seed, 1, 0) % 4);
        options.per_round = true;
        FreeRunning engine(job, options);
        for (int again = 0; again < 3; ++again) {
            const auto result = engine.run();
            ASSERT_TRUE(result) << paused.spec;
            EXPECT_TRUE(result->verdict.lawful() && result->verdict.delivered) << paused.spec;
            EXPECT_EQ(test::text(result->verdict, *job.machine.topology), right) << paused.spec;
        }
    }
}

Program follow_with_pauses(Node& self, const test::Script& script, Pauses& pauses) {
    for (const test::Act& act : script) {
        pauses.here();
        const test::Script one{act};
        co_await test::follow(self, one);
    }
}

Job scripted(const Machine& machine, const std::vector<test::Script>& scripts, Pauses& pauses) {
    Job job =
        test::job_of_all(machine, [&](Node& self) { return follow_with_pauses(self, scripts[self.id()], pauses); });
    job.payload = false;
    return job;
}

TEST(Pauses, ChangeNothingOfAnyProgram) {
    int told = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        std::mt19937_64 random(seed);
        const test::Draw draw = [&random](std::uint64_t below) { return random() % below; };
        const std::vector<std::string> specs = {"ring:7", "mesh:3x4", "complete:5", "hypercube:4"};
        const Machine machine = test::any_machine(specs[draw(specs.size())], draw);
        const std::vector<test::Script> scripts = test::any_scripts(machine, 4, draw);
        Pauses pauses(seed, 8);
        const Job job = scripted(machine, scripts, pauses);
        const auto report = [&](unsigned threads) {
            RunOptions options;
            options.threads = threads;
            options.per_round = true;
            const auto result = FreeRunning(job, options).run();
            return result ? test::text(result->verdict, *machine.topology) : "only rounds can tell";
        };
        const std::string right = report(1);
        told += right == "only rounds can tell" ? 0 : 1;
        EXPECT_EQ(report(2 + static_cast<unsigned>(draw(3))), right) << seed << " on " << machine.topology->spec();
    }
    EXPECT_GT(told, 10);
    EXPECT_LT(told, 50);
}

/// From 8192 nodes on there are two partitions, which two threads serve.
TEST(Pauses, ChangeNothingOfALockstepOfPartitions) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        std::mt19937_64 random(seed);
        const test::Draw draw = [&random](std::uint64_t below) { return random() % below; };
        const Machine machine = test::any_machine("torus:100x91", draw);
        const std::vector<test::Script> scripts = test::any_scripts(machine, 3, draw);
        Pauses pauses(seed, 500);
        const Job job = scripted(machine, scripts, pauses);
        const test::Outcome one = test::run(job, 1);
        const test::Outcome many = test::run(job, 2 + static_cast<unsigned>(draw(3)));
        EXPECT_EQ(test::text(many.verdict, *machine.topology), test::text(one.verdict, *machine.topology));
        EXPECT_TRUE(many.schedule == one.schedule);
    }
}

}  // namespace
}  // namespace kport
