/// @file measurements_test.cpp   Every measurement, as short as possible, returns a time.
#include <array>
#include <atomic>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "app/chip/measurements.hpp"
#include "app/chip/survey.hpp"
#include "app/chip/team.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport::chip {
namespace {

const Limits briefly{std::chrono::milliseconds(1), nullptr};

void expect_a_time(const Statistics& ns) {
    EXPECT_GE(ns.count, 6U);
    EXPECT_GT(ns.least, 0);
    EXPECT_LE(ns.least, ns.low);
    EXPECT_LE(ns.low, ns.median);
    EXPECT_LE(ns.median, ns.high);
    EXPECT_TRUE(std::isfinite(ns.high));
}

TEST(Sample, RepeatsUpToTheClocksResolutionAndDividesByRepetitions) {
    std::uint64_t most = 0;
    const Statistics ns = sample(briefly, [&](const Batch& batch) {
        most = std::max(most, batch.repetitions);
        return Took{static_cast<double>(batch.repetitions) * 50, batch.repetitions};
    });
    EXPECT_GE(most * 50, 200'000U);
    EXPECT_LT(most * 50, 8 * 200'000U);
    EXPECT_EQ(ns.least, 50);
    EXPECT_EQ(ns.median, 50);
}

TEST(Sample, EndsOnRequest) {
    std::atomic<bool> stop = false;
    int batches = 0;
    const auto take = [&](const Batch& batch) {
        if (++batches == 3) stop = true;
        return Took{1, batch.repetitions};
    };
    EXPECT_THROW((void)sample({std::chrono::hours(1), &stop}, take), Stopped);
    EXPECT_EQ(batches, 3);
}

TEST(Team, DoesEachWorkOnceByEveryMember) {
    std::vector<Pu> pus(3, usable_pus()[0]);  // all on one core: no thread may starve the others
    Team team(pus);
    std::array<int, 3> done{};
    for (int i = 0; i < 20; ++i) EXPECT_GT(team.run([&](std::size_t member) { ++done[member]; }), 0);
    EXPECT_EQ(done, (std::array{20, 20, 20}));
    EXPECT_EQ(team.why_not_pinned(), "");
}

TEST(RoundTrip, IsATime) {
    if (usable_pus().size() < 2) GTEST_SKIP() << "there is one core";
    const RoundTrip trip = round_trip(usable_pus()[0], usable_pus()[1], briefly);
    expect_a_time(trip.ns);
    EXPECT_EQ(trip.first, usable_pus()[0]);
    EXPECT_EQ(trip.second, usable_pus()[1]);
}

/// A core that two threads share must end too, by the deadline of a batch.
TEST(RoundTrip, TerminatesOnOneCore) { expect_a_time(round_trip(usable_pus()[0], usable_pus()[0], briefly).ns); }

TEST(HandOver, IsATimeForEachCarrierAndWay) {
    for (const Carrier carrier : carriers)
        for (const Way way : ways) {
            if (threads_of(way) > usable_pus().size()) continue;
            // ThreadSanitizer reports the containers for many threads: they read what others may write, and look again.
            if (test::under_thread_sanitizer && way != Way::alone &&
                (carrier == Carrier::queue || carrier == Carrier::stack))
                continue;
            SCOPED_TRACE(std::string(name(carrier)) + ", " + std::string(name(way)));
            expect_a_time(hand_over(carrier, way, usable_pus(), briefly));
        }
}

TEST(Switching, IsATime) {
    expect_a_time(task_time(briefly));
    expect_a_time(resume_time(briefly));
    expect_a_time(program_time(briefly));
}

TEST(CopySizes, GoFromTheFirstCacheToBeyondTheLast) {
    Hardware machine;
    machine.caches = {{1, 32 << 10, 64, 2, 1}, {2, 1 << 20, 64, 2, 1}};
    EXPECT_EQ(copy_sizes(machine, 1 << 30), (std::vector<std::uint64_t>{4096, 16384, 65536, 262144, 1048576}));
    EXPECT_EQ(copy_sizes(machine, 32768), (std::vector<std::uint64_t>{4096, 16384}));
    EXPECT_TRUE(copy_sizes(machine, 4096).empty());
}

TEST(ThreadCounts, ArePowersOfTwoAndAll) {
    EXPECT_EQ(thread_counts(1), (std::vector<unsigned>{1}));
    EXPECT_EQ(thread_counts(2), (std::vector<unsigned>{1, 2}));
    EXPECT_EQ(thread_counts(6), (std::vector<unsigned>{1, 2, 4, 6}));
}

TEST(Copying, MeasuresEachSizeThatFits) {
    std::vector<std::uint64_t> told;
    const std::array<std::uint64_t, 3> sizes = {4096, 16384, 65536};
    const std::vector<Copying> rows = copying(usable_pus(), sizes, 32768 * usable_pus().size(), briefly,
                                              [&](std::uint64_t bytes) { told.push_back(bytes); });
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(told, (std::vector<std::uint64_t>{4096, 16384}));
    for (const Copying& row : rows) {
        expect_a_time(row.ns);
        EXPECT_EQ(row.threads, usable_pus().size());
        EXPECT_GT(row.bytes_per_second(), 0);
    }
    EXPECT_DOUBLE_EQ((Copying{1000, 2, {1, 100, 100, 100, 100, 0}}.bytes_per_second()), 2e10);
}

TEST(Survey, EndsOnRequestWithPartialResults) {
    const std::atomic<bool> stop = true;
    const Survey found = survey(usable_pus().size(), {}, stop, [](const std::string&) {});
    EXPECT_TRUE(found.stopped);
    EXPECT_EQ(found.machine.pus, hardware().pus);
    EXPECT_TRUE(found.copying.empty());
    EXPECT_FALSE(found.task);
}

}  // namespace
}  // namespace kport::chip
