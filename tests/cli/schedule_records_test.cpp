/// @file schedule_records_test.cpp   Schedules as records between processes: what was written is read, and nothing else is believed.
#include "app/cli/reported.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"

namespace kport::test {
namespace {

using cli::add_records;

std::string records_of(const Schedule& schedule) {
    std::string records;
    cli::write_records(schedule, [&](std::string_view piece) { records += piece; });
    return records;
}

std::string bytes(const std::vector<std::uint32_t>& numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint32_t)};
}

/// Short and long routes, sets of one block and of several, rounds that pass in silence.
Schedule schedule() {
    const std::vector<Port> short_route{3};
    const std::vector<Port> long_route{0, 1, 2, 3, 4, 5, 6};
    const std::vector<PacketBlock> one{PacketBlock{5}};
    const std::vector<PacketBlock> several{PacketBlock{0, 2, 4}, PacketBlock{1, 3, 2, 7, 5, 3}};
    Schedule s;
    s.add(1, {0, 1, short_route, one});
    s.add(1, {4'000'000'000, 2, long_route, several});
    s.add_silent(2, 3);
    s.add(5, {2, 3, long_route, one});
    s.add_silent(6, 1);
    s.add(7, {1, 4'294'967'294, short_route, several});
    return s;
}

TEST(ScheduleRecords, AreReadAsTheScheduleThatWasWritten) {
    Schedule read;
    const std::string records = records_of(schedule());
    EXPECT_EQ(add_records(records, read), records.size());
    EXPECT_EQ(read, schedule());
}

TEST(ScheduleRecords, OfNothingAreNone) { EXPECT_EQ(records_of({}), ""); }

TEST(ScheduleRecords, ThatComeInAnyPiecesAreReadAsOne) {
    const std::string records = records_of(schedule());
    for (std::size_t cut = 0; cut <= records.size(); ++cut) {
        Schedule read;
        const std::size_t taken = add_records(records.substr(0, cut), read);
        EXPECT_LE(taken, cut);
        EXPECT_EQ(taken + add_records(records.substr(taken), read), records.size()) << cut;
        EXPECT_EQ(read, schedule()) << cut;
    }
}

TEST(ScheduleRecords, ThatPromiseMoreThanCameAreLeftAndTakeNoMemory) {
    Schedule read;
    for (const std::vector<std::uint32_t>& promise : {std::vector<std::uint32_t>{1, 0, 1, ~0U, ~0U, 0, 0},
                                                      {1, 0, 1, 1, ~0U, 0, 0, 1, 1, 0, 1, 1},
                                                      {1, 0, 1, ~0U, 1, 0, 0, 1, 1, 0, 1, 1},
                                                      {1, 0, 1}})
        EXPECT_EQ(add_records(bytes(promise), read), 0U);
    EXPECT_TRUE(read.empty());
}

TEST(ScheduleRecords, ThatAreNoneOfAScheduleAreRefused) {
    const std::vector<std::uint32_t> lawful{2, 0, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1};
    for (const std::vector<std::uint32_t>& record : {std::vector<std::uint32_t>{1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1},
                                                     {0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1},
                                                     {0, 0, 7, 0, 0},
                                                     {0, 5, 4, 0, 0},
                                                     {0, 3, 4, 0, 0, 0, 4, 5, 0, 0}}) {
        Schedule read;
        EXPECT_THROW((void)add_records(bytes(lawful) + bytes(record), read), RequestError);
    }
}

}  // namespace
}  // namespace kport::test
