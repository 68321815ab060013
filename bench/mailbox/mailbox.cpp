/// @file mailbox.cpp   What does it cost to pass a message from one task to another?
///
/// The result decided the engine's mailbox: emulator/payload/mailbox.hpp.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/mailbox/contenders.hpp"
#include "bench/support/outcome.hpp"

namespace kport::bench {

namespace {

Message message(std::size_t i) {
    const auto v = static_cast<std::uint32_t>(i);
    return {v, v + 1, 0, 0, i};
}

std::uint64_t sum_of_rounds(std::uint64_t rounds, std::uint64_t messages) {
    return rounds * (messages * (messages - 1) / 2);
}

using Clock = std::chrono::steady_clock;

void report(benchmark::State& state, std::size_t messages, Clock::time_point start, bool right) {
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    if (!right) state.SkipWithError("messages were lost or came twice");
    const double all = static_cast<double>(state.iterations()) * static_cast<double>(messages);
    state.counters["messages_per_second"] = all / ns * 1e9;
    state.counters["ns_a_message"] = ns / all;
}

/// An iteration is a round: all messages are posted, then all are collected.
template <class Mail>
void one_thread(benchmark::State& state, std::size_t messages) {
    Mail mail(messages);
    std::uint64_t sum = 0;
    const Clock::time_point start = Clock::now();
    for (auto _ : state) {
        for (std::size_t i = 0; i < messages; ++i) mail.post(message(i));
        mail.publish();
        mail.collect([&](const Message& collected) { sum += collected.content; });
        mail.restart();
    }
    report(state, messages, start, sum == sum_of_rounds(static_cast<std::uint64_t>(state.iterations()), messages));
}

/// Spins for a while, then yields: the machine may be busy.
template <class Condition>
void wait_until(Condition&& condition) {
    for (int i = 0; !condition(); ++i)
        if (i > 1000) std::this_thread::yield();
}

/// Times both ends with the consumer on its own thread, which collects while the producer posts.
template <class Mail>
void two_threads(benchmark::State& state, std::size_t messages) {
    Mail mail(messages);
    // The first message allocates memory in some contenders; the engine has a barrier between that and the first collect().
    mail.post(message(0));
    mail.publish();
    mail.collect([](const Message&) {});
    mail.restart();

    // release/acquire on both: a round's restart() happens before its start, its collect() before its end.
    std::atomic<std::uint64_t> begun = 0;
    std::atomic<std::uint64_t> ended = 0;
    std::atomic<bool> over = false;
    std::uint64_t sum = 0;
    std::thread consumer([&] {
        for (std::uint64_t round = 1;; ++round) {
            wait_until([&] { return begun.load(std::memory_order_acquire) == round || over.load(); });
            if (begun.load(std::memory_order_acquire) != round) return;
            std::size_t collected = 0;
            wait_until([&] {
                mail.collect([&](const Message& one) {
                    sum += one.content;
                    ++collected;
                });
                return collected == messages;
            });
            ended.store(round, std::memory_order_release);
        }
    });
    std::uint64_t round = 0;
    const Clock::time_point start = Clock::now();
    for (auto _ : state) {
        begun.store(++round, std::memory_order_release);
        for (std::size_t i = 0; i < messages; ++i) mail.post(message(i));
        mail.publish();
        wait_until([&] { return ended.load(std::memory_order_acquire) == round; });
        mail.restart();
    }
    over.store(true);
    consumer.join();
    report(state, messages, start, sum == sum_of_rounds(round, messages));
}

template <class Mail>
void add(const std::string& contender, bool for_two_threads) {
    for (const std::size_t messages :
         tiny() ? std::vector<std::size_t>{1, 1000} : std::vector<std::size_t>{1, 64, 4096, 262144}) {
        const std::string size = "/messages:" + std::to_string(messages);
        benchmark::RegisterBenchmark(("OneThread/" + contender + size).c_str(), one_thread<Mail>, messages);
        if (for_two_threads)
            benchmark::RegisterBenchmark(("TwoThreads/" + contender + size).c_str(), two_threads<Mail>, messages)
                ->UseRealTime();
    }
}

bool add_all() {
    add<Vector>("vector", false);
    add<Batches>("batches_through_spsc_queue", true);
    add<SpscQueue>("spsc_queue", true);
    add<Queue>("queue", true);
    add<Stack>("stack", true);
    return true;
}

[[maybe_unused]] const bool registered = add_all();

}  // namespace

}  // namespace kport::bench
