/// @file inbox.cpp   What does a letter to a sleeping node cost?
///
/// The result decided the mailbox of the free-running engine: emulator/payload/inbox.hpp. The other contender follows the
/// channels of a machine: a boost::lockfree::spsc_queue for each channel, made when the channel is first used, and a flag
/// that the receiver sleeps.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <boost/lockfree/spsc_queue.hpp>

#include "bench/support/outcome.hpp"
#include "emulator/payload/inbox.hpp"

namespace kport::bench {

namespace {

constexpr std::size_t degree = 16;

struct Letter {
    Letter* next = nullptr;
    std::uint64_t content = 0;
};

/// As emulator/payload/inbox.hpp, for any channel.
class OneWord {
  public:
    [[nodiscard]] bool push(std::size_t, Letter* letter) { return inbox_.push(letter); }
    template <class Visit>
    bool take(Visit&& visit) {
        Letter* letter = inbox_.take();
        for (; letter != nullptr; letter = letter->next) visit(*letter);
        return inbox_.sleep();
    }
    [[nodiscard]] static std::size_t bytes_of_channel() { return 0; }

  private:
    Inbox<Letter> inbox_{};
};

class QueueAChannel {
  public:
    [[nodiscard]] bool push(std::size_t channel, Letter* letter) {
        // Made by its only sender; the receiver reads all channels at any time.
        Queue* queue = channels_[channel].load(std::memory_order_relaxed);
        if (queue == nullptr) channels_[channel].store(queue = new Queue, std::memory_order_release);
        queue->push(letter);
        return !awake_.exchange(true, std::memory_order_acq_rel);
    }
    template <class Visit>
    bool take(Visit&& visit) {
        visit_all(visit);
        awake_.store(false, std::memory_order_seq_cst);
        // A message that came between the look and the sleep: its sender found the receiver awake.
        bool more = false;
        for (const std::atomic<Queue*>& channel : channels_) {
            const Queue* queue = channel.load(std::memory_order_seq_cst);
            more |= queue != nullptr && queue->read_available() != 0;
        }
        return !more || awake_.exchange(true, std::memory_order_acq_rel);
    }
    ~QueueAChannel() {
        for (const std::atomic<Queue*>& channel : channels_) delete channel.load(std::memory_order_relaxed);
    }
    [[nodiscard]] static std::size_t bytes_of_channel() { return sizeof(Queue); }

  private:
    using Queue = boost::lockfree::spsc_queue<Letter*, boost::lockfree::capacity<8>>;
    template <class Visit>
    void visit_all(Visit&& visit) {
        for (const std::atomic<Queue*>& channel : channels_)
            if (Queue* queue = channel.load(std::memory_order_acquire))
                for (Letter* letter = nullptr; queue->pop(letter);) visit(*letter);
    }

    std::array<std::atomic<Queue*>, degree> channels_{};
    std::atomic<bool> awake_ = false;
};

/// Every node gets a letter by one channel, wakes, takes it and sleeps again; `times` times, by another channel each.
template <class Box>
void letters_to_all(benchmark::State& state, std::size_t nodes, std::size_t times) {
    std::vector<Letter> letters(nodes);
    std::uint64_t sum = 0;
    std::uint64_t woken = 0;
    const auto start = std::chrono::steady_clock::now();
    for (auto _ : state) {
        const auto boxes = std::make_unique<std::vector<Box>>(nodes);
        for (std::size_t turn = 0; turn < times; ++turn)
            for (std::size_t i = 0; i < nodes; ++i) {
                const std::size_t v = i * 40503 % nodes;  // as far apart as neighbours in a hypercube
                letters[v].content = 1;
                woken += (*boxes)[v].push((v + turn) % degree, &letters[v]) ? 1 : 0;
                (void)(*boxes)[v].take([&](const Letter& letter) { sum += letter.content; });
            }
    }
    const auto all = static_cast<std::uint64_t>(state.iterations()) * nodes * times;
    if (sum != all || woken != all) state.SkipWithError("letters were lost or came twice");
    state.SetItemsProcessed(static_cast<std::int64_t>(all));
    state.counters["ns_a_message"] =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() /
        static_cast<double>(all);
    state.counters["bytes_a_node"] =
        static_cast<double>(sizeof(Box) + std::min(times, degree) * Box::bytes_of_channel());
}

bool add_all() {
    const std::size_t nodes = std::size_t{1} << (tiny() ? 6 : 18);
    for (const std::size_t times : {std::size_t{1}, degree}) {
        const std::string of = "/letters_a_node:" + std::to_string(times);
        benchmark::RegisterBenchmark(("OneThread/inbox" + of).c_str(), letters_to_all<OneWord>, nodes, times);
        benchmark::RegisterBenchmark(("OneThread/spsc_queue_a_channel" + of).c_str(), letters_to_all<QueueAChannel>,
                                     nodes, times);
    }
    return true;
}

[[maybe_unused]] const bool registered = add_all();

}  // namespace

}  // namespace kport::bench
