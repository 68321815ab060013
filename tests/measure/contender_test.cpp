/// @file contender_test.cpp   Turns: the order and number of runs, and their end. No test compares times.
#include <atomic>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/measure/contender.hpp"

namespace kport::measure {
namespace {

using testing::Each;
using testing::EndsWith;
using testing::SizeIs;

/// Returns a given time and logs its name.
Contender claiming(const std::string& name, double seconds, std::string& log) {
    return {name, [=, &log](std::uint64_t times) {
                log += name;
                return Lap{seconds * static_cast<double>(times), 0};
            }};
}

TEST(Turns, AreTakenOneRepetitionEach) {
    std::string log;
    const auto timings = take_turns({claiming("a", 1, log), claiming("b", 2, log)}, {3, 0, nullptr, {}});
    ASSERT_THAT(timings, SizeIs(2));
    EXPECT_THAT(log, EndsWith("bababab")) << "the last to be warmed up is b; then A B A B";
    EXPECT_EQ(timings[0].contender, "a");
    EXPECT_EQ(timings[0].seconds(), std::vector<double>(3, 1));
    EXPECT_EQ(timings[1].seconds(), std::vector<double>(3, 2));
}

TEST(Turns, RepeatShortTasksAndReportTheTimeOfOne) {
    std::string log;
    const auto timings = take_turns({claiming("a", 1e-6, log)}, {2, 0, nullptr, {}});
    EXPECT_EQ(timings[0].times, 32U) << "the first power of two that takes 20 us";
    EXPECT_THAT(timings[0].seconds(), Each(testing::DoubleEq(1e-6)));
}

TEST(Turns, AreAtLeastTenByDefault) {
    std::string log;
    EXPECT_THAT(take_turns({claiming("a", 1, log)}, {0, 0, nullptr, {}})[0].laps, SizeIs(10));
}

TEST(Turns, KeepWhatWasMeasuredBeforeTheyAreStopped) {
    std::string log;
    std::atomic<bool> stop = false;
    const auto tell = [&](std::uint64_t repetition) { stop = repetition == 3; };
    EXPECT_THAT(take_turns({claiming("a", 1, log)}, {9, 0, &stop, tell})[0].laps, SizeIs(3));
    EXPECT_THAT(take_turns({claiming("a", 1, log)}, {9, 0, &stop, {}})[0].laps, SizeIs(0));
}

}  // namespace
}  // namespace kport::measure
