#include "emulator/engine/watch.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace kport {

std::string text(const Computing& computing, const Topology& topology) {
    return fmt::format("round {}: node {} has been computing for {:.3g} s without co_await", computing.round,
                       topology.name(computing.node), computing.seconds);
}

Watch::Watch(const ComputingFunction& tell, std::chrono::milliseconds after, const std::atomic<bool>* stop,
             std::vector<const AtWork*> runners)
    : tell_(tell), after_(std::max(after, std::chrono::milliseconds(1))), stop_(stop), runners_(std::move(runners)),
      seen_(runners_.size()) {
    if (!tell_) return;
    try {
        thread_ = std::jthread([this](const std::stop_token& ended) { look_until(ended); });
        // NOLINTNEXTLINE(bugprone-empty-catch): no thread is left, and the run goes on without a watch
    } catch (const std::system_error&) {
    }
}

void Watch::look_until(const std::stop_token& ended) {
    const auto pause = std::min<std::chrono::milliseconds>(std::chrono::milliseconds(200), after_);
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any bell;
    try {
        while (!bell.wait_for(lock, ended, pause, [&] { return ended.stop_requested(); })) look();
    } catch (...) {
        error_ = std::current_exception();
    }
}

void Watch::end() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
    if (error_) std::rethrow_exception(error_);
}

void Watch::look() {
    const auto now = std::chrono::steady_clock::now();
    const bool stopping = stop_ != nullptr && stop_->load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < runners_.size(); ++i) {
        Seen& seen = seen_[i];
        const std::uint64_t turn = runners_[i]->turn();
        if (turn != std::exchange(seen.turn, turn)) {
            seen.since = now;
            seen.told_after = after_;
        }
        const auto lasted = now - seen.since;
        if (turn == AtWork::no_node_runs || lasted < (stopping ? after_ : seen.told_after)) continue;
        while (seen.told_after <= lasted) seen.told_after *= 2;
        tell_({AtWork::node_of(turn), runners_[i]->round(), std::chrono::duration<double>(lasted).count(), stopping});
    }
}

}  // namespace kport
