/// @file pinning_test.cpp   Threads stay on their core while pinned, and are released afterwards.
#include <sched.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "app/chip/pinning.hpp"

namespace kport::chip {
namespace {

/// The calling thread's affinity mask by the system itself, without hwloc.
std::set<Pu> allowed() {
    cpu_set_t set;
    CPU_ZERO(&set);
    EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    std::set<Pu> pus;
    for (Pu pu = 0; pu < CPU_SETSIZE; ++pu)
        if (CPU_ISSET(pu, &set)) pus.insert(pu);
    return pus;
}

TEST(UsablePus, AreThoseOfTheAffinityMask) {
    const std::vector<Pu>& pus = usable_pus();
    EXPECT_EQ(std::set<Pu>(pus.begin(), pus.end()), allowed());
    EXPECT_EQ(pus.size(), allowed().size()) << "each once";
}

TEST(Pinned, KeepsTheThreadOnItsPuAndLetsItGo) {
    const std::set<Pu> before = allowed();
    for (const Pu pu : usable_pus()) {
        const Pinned pinned(pu);
        ASSERT_TRUE(pinned.in_force()) << pinned.why_not();
        EXPECT_EQ(allowed(), std::set<Pu>{pu});
        EXPECT_EQ(sched_getcpu(), static_cast<int>(pu));
    }
    EXPECT_EQ(allowed(), before);
    EXPECT_EQ(why_not_pinnable(), "");
}

TEST(Pinned, ReportsTheReasonOfAFailure) {
    const std::set<Pu> before = allowed();
    {
        const Pinned nowhere(CPU_SETSIZE - 1);
        if (before.contains(CPU_SETSIZE - 1)) GTEST_SKIP() << "this machine has that core";
        EXPECT_FALSE(nowhere.in_force());
        EXPECT_NE(nowhere.why_not(), "");
    }
    EXPECT_EQ(allowed(), before);
}

TEST(PinnedArena, KeepsEachThreadOnOnePuAndLetsItGo) {
    const std::set<Pu> before = allowed();
    const int threads = std::max(2, static_cast<int>(usable_pus().size()));
    std::mutex guard;
    std::vector<std::set<Pu>> seen;
    {
        tbb::task_arena arena(threads);
        const PinnedArena pinned(arena);
        arena.execute([&] {
            tbb::parallel_for(0, 64, [&](int) {
                const std::set<Pu> here = allowed();
                const std::scoped_lock hold(guard);
                seen.push_back(here);
            });
        });
        EXPECT_EQ(pinned.why_not(), "");
    }
    ASSERT_EQ(seen.size(), 64U);
    for (const std::set<Pu>& here : seen) {
        ASSERT_EQ(here.size(), 1U);
        EXPECT_TRUE(before.contains(*here.begin()));
    }
    EXPECT_EQ(allowed(), before);
    tbb::task_arena(threads).execute([&] { tbb::parallel_for(0, 64, [&](int) { EXPECT_EQ(allowed(), before); }); });
}

}  // namespace
}  // namespace kport::chip
