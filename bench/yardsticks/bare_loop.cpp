#include "bench/yardsticks/bare_loop.hpp"

#include <bit>
#include <optional>
#include <vector>

#include "app/measure/bare_loop.hpp"
#include "bench/yardsticks/parameters.hpp"

namespace kport::bench {

namespace {

struct Slot {
    std::uint64_t payload = 0;
    std::int64_t arrived_by = -1;
};

/// Runs `work` on fresh slots and checks that every slot has the payload.
template <class T, class Work>
Outcome broadcast(NodeId nodes, Work&& work) {
    Measurement measurement;
    std::optional<std::vector<T>> slots(std::in_place, nodes);
    (*slots)[0].payload = payload;
    work(*slots);
    measurement.pause();
    bool right = true;
    for (const T& slot : *slots) right = right && slot.payload == payload;
    measurement.go_on();
    slots.reset();
    measurement.pause();
    return measurement.outcome(nodes - 1, nodes, right);
}

/// Runs `work` ten times on the same slots after one untimed run.
template <class Work>
Outcome broadcast_again(NodeId nodes, Work&& work) {
    constexpr std::uint64_t runs = 10;
    std::vector<Slot> slots(nodes);
    slots[0].payload = payload;
    work(slots);
    Measurement measurement;
    for (std::uint64_t i = 0; i < runs; ++i) work(slots);
    measurement.pause();
    bool right = true;
    for (const Slot& slot : slots) right = right && slot.payload == payload;
    return measurement.outcome(runs * (nodes - 1), nodes, right);
}

/// `order` holds the nodes in the order in which the packet reaches them: one for each slot.
void sbt_all_port(std::vector<Slot>& slots, std::vector<std::uint32_t>& order) {
    std::size_t reached = 1;
    for (std::size_t i = 0; i < reached; ++i) {
        const std::uint32_t v = order[i];
        for (std::int64_t d = slots[v].arrived_by + 1; NodeId{1} << d < slots.size(); ++d) {
            const std::uint32_t child = v ^ (std::uint32_t{1} << d);
            slots[child] = {slots[v].payload, d};
            order[reached++] = child;
        }
    }
}

void sbt_1_port(std::vector<Slot>& slots) {
    const auto dimensions = static_cast<unsigned>(std::countr_zero(slots.size()));
    measure::sbt_messages(dimensions, [&](NodeId from, NodeId to, unsigned d) {
        slots[to] = {slots[from].payload, d};
    });
}

}  // namespace

Outcome bare_loop_sbt_all_port(int n) {
    return broadcast<Slot>(NodeId{1} << n, [](std::vector<Slot>& slots) {
        std::vector<std::uint32_t> order(slots.size());
        sbt_all_port(slots, order);
    });
}

Outcome bare_loop_sbt_1_port(int n) { return broadcast<Slot>(NodeId{1} << n, sbt_1_port); }

Outcome bare_loop_again_all_port(int n) {
    std::vector<std::uint32_t> order(NodeId{1} << n);
    return broadcast_again(NodeId{1} << n, [&](std::vector<Slot>& slots) { sbt_all_port(slots, order); });
}

Outcome bare_loop_again_1_port(int n) { return broadcast_again(NodeId{1} << n, sbt_1_port); }

Outcome bare_loop_line(NodeId nodes) {
    return broadcast<Slot>(nodes, [](std::vector<Slot>& slots) {
        measure::line_messages(slots.size(), [&](NodeId from, NodeId to) { slots[to] = {slots[from].payload, 0}; });
    });
}

Outcome bare_loop_exchange(int n) {
    const NodeId nodes = NodeId{1} << n;
    Measurement measurement;
    std::optional<std::vector<std::uint64_t>> now(std::in_place, nodes);
    std::optional<std::vector<std::uint64_t>> next(std::in_place, nodes);
    for (NodeId v = 0; v < nodes; ++v) (*now)[v] = contribution(v);
    measure::exchange_messages(
        static_cast<unsigned>(n), [&](NodeId from, NodeId to, unsigned) { (*next)[to] = (*now)[to] + (*now)[from]; },
        [&] { now->swap(*next); });
    measurement.pause();
    bool right = true;
    for (const std::uint64_t sum : *now) right = right && sum == sum_of_contributions(nodes);
    measurement.go_on();
    now.reset();
    next.reset();
    measurement.pause();
    return measurement.outcome(nodes * static_cast<std::uint64_t>(n), nodes, right);
}

}  // namespace kport::bench
