/// @file event_graph_test.cpp   Cycles, happens-before, and multisets of contributions.
#include "app/files/event_graph.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "app/files/contents.hpp"

namespace kport::event_graphs {
namespace {

/// Steps of blocks of rank 0, in program order within a block.
EventGraph blocks(std::uint32_t count, std::uint32_t steps) {
    EventGraph graph;
    for (std::uint32_t block = 0; block < count; ++block)
        for (std::uint32_t step = 0; step < steps; ++step) {
            const EventId event = graph.add({0, block, step, "x"});
            if (step > 0) graph.order(event - 1, event, Before::in_program);
        }
    return graph;
}

TEST(EventGraph, OrdersAllEventsBehindThoseBeforeThem) {
    EventGraph graph = blocks(2, 2);
    graph.order(3, 0, Before::awaited);
    EXPECT_EQ(graph.topological(), (std::vector<EventId>{2, 3, 0, 1}));
    graph.order(1, 2, Before::awaited);
    EXPECT_FALSE(graph.topological().has_value());
}

TEST(EventGraph, TheShortestCycleIsNamedStepByStep) {
    EventGraph graph = blocks(4, 4);
    graph.order(3, 4, Before::awaited);  // a cycle of three blocks
    graph.order(7, 8, Before::awaited);
    graph.order(11, 0, Before::awaited);
    graph.order(9, 4, Before::awaited);  // and one of two
    EXPECT_EQ(
        graph.cycle_in_words(graph.shortest_cycle()),
        "GPU 0 block 1 step 0 (x) waits for GPU 0 block 2 step 1 (x), which comes after step 0 (x), which waits for "
        "GPU 0 block 1 step 3 (x), which comes after step 0 (x)");
}

TEST(EventGraph, RelaxedEdgesOrderReadsBeforeWritesOnly) {
    EventGraph graph = blocks(2, 1);
    graph.order(0, 1, Before::relaxed);
    const std::vector<EventId> order = *graph.topological();
    EXPECT_EQ(not_ordered(graph, order, {{0, 1, true}, {0, 1, false}}), std::vector<std::size_t>{1});
}

/// The relation by search from each event.
bool reaches(const EventGraph& graph, EventId first, EventId second) {
    if (first == second) return true;
    for (const EventGraph::Edge& edge : graph.before(second))
        if (reaches(graph, first, edge.before)) return true;
    return false;
}

TEST(EventGraph, FindsThePairsThatNothingOrdersInAnyGraph) {
    std::mt19937 random(1);
    for (int turn = 0; turn < 20; ++turn) {
        EventGraph graph = blocks(12, 1);
        for (EventId event = 1; event < graph.size(); ++event)
            if (random() % 2 == 0) graph.order(static_cast<EventId>(random() % event), event, Before::awaited);
        std::vector<WantedOrder> pairs;
        std::vector<std::size_t> missing;
        for (EventId first = 0; first < graph.size(); ++first)
            for (EventId second = first + 1; second < graph.size(); ++second) {
                if (!reaches(graph, first, second)) missing.push_back(pairs.size());
                pairs.push_back({first, second});
            }
        std::vector<EventId> order;
        for (EventId event = 0; event < graph.size(); ++event) order.push_back(event);
        EXPECT_EQ(not_ordered(graph, order, pairs), missing);
    }
}

/// More first events than a pass holds.
TEST(EventGraph, FindsMissingOrdersAmongThousandsOfEvents) {
    EventGraph graph = blocks(2, 3000);
    std::vector<WantedOrder> pairs;
    for (EventId event = 0; event + 1 < 3000; ++event) pairs.push_back({event, event + 1});
    pairs.push_back({10, 5000});
    std::vector<EventId> order;
    for (EventId event = 0; event < graph.size(); ++event) order.push_back(event);
    EXPECT_EQ(not_ordered(graph, order, pairs), std::vector<std::size_t>{2999});
}

TEST(Contents, SumsKeepMultiplicityAndJoinRuns) {
    using slots::in_words;
    const slots::Value low = slots::value_of({1, 0, 3});
    const slots::Value high = slots::value_of({1, 4, 7});
    EXPECT_TRUE(slots::is_exactly(slots::sum_of(low, high), {1, 0, 7}));
    EXPECT_TRUE(slots::is_exactly(slots::sum_of(high, low), {1, 0, 7}));
    EXPECT_EQ(in_words(slots::sum_of(low, slots::value_of({1, 2, 5}))),
              "chunk 1 of ranks 0 to 1 + chunk 1 of ranks 2 to 3 more than once + chunk 1 of ranks 4 to 5");
    EXPECT_EQ(in_words(slots::sum_of(low, slots::value_of({2, 0, 0}))), "chunk 1 of ranks 0 to 3 + chunk 2 of rank 0");
    EXPECT_FALSE(slots::sum_of(low, slots::unknown_value())->known);
    EXPECT_EQ(in_words(slots::Value()), "nothing");
}

}  // namespace
}  // namespace kport::event_graphs
