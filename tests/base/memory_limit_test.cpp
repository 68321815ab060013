#include "emulator/base/memory_limit.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace kport {
namespace {

/// A folder that stands for /sys/fs/cgroup.
class ControlGroups : public testing::Test {
  protected:
    void SetUp() override {
        root_ = std::filesystem::path(testing::TempDir()) /
                ("kport_groups_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
        std::filesystem::remove_all(root_);
        std::filesystem::create_directories(root_);
    }
    void TearDown() override { std::filesystem::remove_all(root_); }

    void write(const std::string& path, const std::string& text) const {
        const std::filesystem::path file = root_ / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    [[nodiscard]] std::uint64_t left(bool unified, const std::string& path) const {
        return left_in_group(root_.string(), {unified, path});
    }

    std::filesystem::path root_;
};

TEST_F(ControlGroups, LimitNothingWhereTheyCannotBeRead) {
    EXPECT_EQ(left(true, "/a/b"), memory_unlimited);
    EXPECT_EQ(left(false, "/"), memory_unlimited);
    EXPECT_EQ(left(false, ""), memory_unlimited);
    EXPECT_EQ(left(true, "no slash"), memory_unlimited);
}

TEST_F(ControlGroups, OfVersionTwoLeaveLimitMinusUsage) {
    write("a/memory.max", "1000\n");
    write("a/memory.current", "300\n");
    EXPECT_EQ(left(true, "/a"), 700U);
    write("a/memory.max", "max\n");
    EXPECT_EQ(left(true, "/a"), memory_unlimited);
}

TEST_F(ControlGroups, AreLimitedByTheirAncestors) {
    write("a/b/memory.max", "1000\n");
    write("a/b/memory.current", "300\n");
    write("a/memory.max", "500\n");
    write("a/memory.current", "400\n");
    EXPECT_EQ(left(true, "/a/b"), 100U);
    EXPECT_EQ(left(true, "/a/b/c"), 100U);
}

TEST_F(ControlGroups, OfVersionTwoMayStandBesideVersionOne) {
    write("unified/a/memory.max", "1000\n");
    EXPECT_EQ(left(true, "/a"), 1000U);
}

TEST_F(ControlGroups, OfVersionOneLeaveLimitMinusUsage) {
    write("memory/a/memory.limit_in_bytes", "1000\n");
    write("memory/a/memory.usage_in_bytes", "300\n");
    EXPECT_EQ(left(false, "/a"), 700U);
    write("memory/memory.limit_in_bytes", "250\n");
    EXPECT_EQ(left(false, "/a"), 250U);
    EXPECT_EQ(left(false, "/"), 250U);
}

TEST_F(ControlGroups, GiveUpTheirFileCache) {
    write("memory/a/memory.limit_in_bytes", "1000\n");
    write("memory/a/memory.usage_in_bytes", "900\n");
    write("memory/a/memory.stat", "cache 600\ninactive_file 1\ntotal_inactive_file 500\n");
    EXPECT_EQ(left(false, "/a"), 600U);
    write("b/memory.max", "1000\n");
    write("b/memory.current", "900\n");
    write("b/memory.stat", "anon 300\ninactive_file 500\n");
    EXPECT_EQ(left(true, "/b"), 600U);
}

TEST_F(ControlGroups, OverTheirLimitLeaveNothing) {
    write("a/memory.max", "1000\n");
    write("a/memory.current", "1300\n");
    EXPECT_EQ(left(true, "/a"), 0U);
}

TEST(MemoryGroups, AreReadFromTheLinesOfTheProcess) {
    const auto groups = memory_groups("9:name=systemd:/\n4:cpu,memory:/api/x\n3:cpuset:/\n0::/user.slice\nnonsense\n");
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_FALSE(groups[0].unified);
    EXPECT_EQ(groups[0].path, "/api/x");
    EXPECT_TRUE(groups[1].unified);
    EXPECT_EQ(groups[1].path, "/user.slice");
    EXPECT_TRUE(memory_groups("").empty());
}

TEST(Kibibytes, AreReadByTheirKey) {
    const char* text =
        "MemFree:  1 kB\nMemAvailable:   24046092 kB\nVmSize:\tnot a number\nHuge: 99999999999999999999 kB\n";
    EXPECT_EQ(kibibytes_of(text, "MemAvailable"), 24046092ULL * 1024);
    EXPECT_EQ(kibibytes_of(text, "MemAvail"), std::nullopt);
    EXPECT_EQ(kibibytes_of(text, "VmSize"), std::nullopt);
    EXPECT_EQ(kibibytes_of(text, "Huge"), std::nullopt);
    EXPECT_EQ(kibibytes_of("", "MemFree"), std::nullopt);
}

TEST(MemoryAvailable, IsSomethingHere) {
    EXPECT_GT(memory_available(), std::uint64_t{1} << 20);
    EXPECT_LT(memory_available(), std::uint64_t{1} << 50);
}

}  // namespace
}  // namespace kport
