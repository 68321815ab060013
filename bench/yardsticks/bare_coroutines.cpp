#include "bench/yardsticks/bare_coroutines.hpp"

#include <coroutine>
#include <exception>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "bench/yardsticks/parameters.hpp"

namespace kport::bench {

namespace {

/// Owns a frame. The body runs at once, up to its first suspension.
class Task {
  public:
    struct promise_type {
        Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };

    Task() = default;
    Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
    Task& operator=(Task&& other) noexcept {
        std::swap(frame_, other.frame_);
        return *this;
    }
    ~Task() {
        if (frame_) frame_.destroy();
    }
    void resume() { frame_.resume(); }

  private:
    explicit Task(std::coroutine_handle<> frame) : frame_(frame) {}
    std::coroutine_handle<> frame_;
};

/// Nodes with their slots, and the queue of nodes with mail.
template <class Mail>
struct Crowd {
    struct Node {
        Task task;
        Mail mail;
    };
    explicit Crowd(NodeId size) : nodes(size) {}

    void run() {
        while (!ready.empty()) {
            const NodeId next = ready.front();
            ready.pop();
            nodes[next].task.resume();
        }
    }

    std::vector<Node> nodes;
    std::queue<NodeId> ready;
};

struct Packet {
    std::uint64_t payload = 0;
    int arrived_by = -1;
};
using Broadcast = Crowd<Packet>;

void post(Broadcast& crowd, NodeId to, Packet packet) {
    crowd.nodes[to].mail = packet;
    crowd.ready.push(to);
}

Task sbt(Broadcast& crowd, NodeId self, int n) {
    co_await std::suspend_always{};  // until the mail comes
    const Packet packet = crowd.nodes[self].mail;
    for (int d = packet.arrived_by + 1; d < n; ++d) post(crowd, self ^ (NodeId{1} << d), {packet.payload, d});
}

Task line(Broadcast& crowd, NodeId self) {
    co_await std::suspend_always{};  // until the mail comes
    if (self + 1 < crowd.nodes.size()) post(crowd, self + 1, {crowd.nodes[self].mail.payload, 0});
}

/// A partner may send for the next dimension before this node has read the message of the last one: two slots in turn.
struct Sums {
    std::uint64_t slot[2] = {0, 0};
};
using Exchange = Crowd<Sums>;

Task exchange(Exchange& crowd, NodeId self, int n) {
    co_await std::suspend_always{};
    std::uint64_t sum = contribution(self);
    for (int d = 0; d < n; ++d) {
        crowd.nodes[self ^ (NodeId{1} << d)].mail.slot[d % 2] = sum;
        crowd.ready.push(self);
        co_await std::suspend_always{};  // until all have sent
        sum += crowd.nodes[self].mail.slot[d % 2];
    }
    crowd.nodes[self].mail.slot[n % 2] = sum;
}

template <class Program>
Outcome broadcast(NodeId nodes, Program&& program) {
    Measurement measurement;
    std::optional<Broadcast> crowd(std::in_place, nodes);
    for (NodeId v = 0; v < nodes; ++v) crowd->nodes[v].task = program(*crowd, v);
    post(*crowd, 0, {payload, -1});
    crowd->run();
    measurement.pause();
    bool right = true;
    for (const Broadcast::Node& node : crowd->nodes) right = right && node.mail.payload == payload;
    measurement.go_on();
    crowd.reset();
    measurement.pause();
    return measurement.outcome(nodes - 1, nodes, right);
}

}  // namespace

Outcome bare_coroutines_sbt(int n) {
    return broadcast(NodeId{1} << n, [n](Broadcast& crowd, NodeId v) { return sbt(crowd, v, n); });
}

Outcome bare_coroutines_line(NodeId nodes) {
    return broadcast(nodes, [](Broadcast& crowd, NodeId v) { return line(crowd, v); });
}

Outcome bare_coroutines_exchange(int n) {
    const NodeId nodes = NodeId{1} << n;
    Measurement measurement;
    std::optional<Exchange> crowd(std::in_place, nodes);
    for (NodeId v = 0; v < nodes; ++v) {
        crowd->nodes[v].task = exchange(*crowd, v, n);
        crowd->ready.push(v);
    }
    crowd->run();
    measurement.pause();
    bool right = true;
    for (const Exchange::Node& node : crowd->nodes)
        right = right && node.mail.slot[n % 2] == sum_of_contributions(nodes);
    measurement.go_on();
    crowd.reset();
    measurement.pause();
    return measurement.outcome(nodes * static_cast<std::uint64_t>(n), nodes, right);
}

}  // namespace kport::bench
