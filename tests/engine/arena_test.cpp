#include <latch>
#include <thread>

#include <gtest/gtest.h>
#include <oneapi/tbb/task_arena.h>

#include "emulator/engine/sharing.hpp"

namespace kport {
namespace {

/// A thread's arena: its number of slots, and the thread's slot.
struct Seat {
    int slots = 0;
    int slot = 0;
    bool operator==(const Seat&) const = default;
};

Seat seat() { return {tbb::this_task_arena::max_concurrency(), tbb::this_task_arena::current_thread_index()}; }

Seat seat_in(tbb::task_arena arena) { return arena.execute(seat); }

TEST(AnArena, OfTheCallerIsUsedIfItHasAsManySlots) {
    // A thread takes slot 0 of a new arena: of two threads in one arena, one would notice that it has left it.
    constexpr int both = 2;
    tbb::task_arena own(both, both);
    std::latch in_it(both);
    std::latch done(both);
    Seat before[both];
    Seat after[both];
    const auto work = [&](int thread) {
        own.execute([&] {
            in_it.arrive_and_wait();
            before[thread] = seat();
            after[thread] = seat_in(arena_for(both));
            done.arrive_and_wait();
        });
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    EXPECT_NE(before[0].slot, before[1].slot);
    EXPECT_EQ(after[0], before[0]);
    EXPECT_EQ(after[1], before[1]);
}

TEST(AnArena, OfTheCallerIsNotUsedIfItHasMoreOrFewerSlots) {
    const auto slots_for = [](unsigned threads) { return seat_in(arena_for(threads)).slots; };
    EXPECT_EQ(tbb::task_arena(2).execute([&] { return slots_for(1); }), 1);
    EXPECT_EQ(tbb::task_arena(1).execute([&] { return slots_for(2); }), 2);
}

TEST(AnArena, IsMadeForAThreadThatHasNone) {
    std::thread([] {
        ASSERT_TRUE(tbb::this_task_arena::current_thread_index() == tbb::task_arena::not_initialized);
        EXPECT_EQ(seat_in(arena_for(1)), (Seat{1, 0}));
    }).join();
}

}  // namespace
}  // namespace kport
