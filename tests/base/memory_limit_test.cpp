#include "emulator/base/memory_limit.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

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

TEST_F(ControlGroups, AreNoLimitIfUnreadable) {
    EXPECT_EQ(left(true, "/a/b"), memory_unlimited);
    EXPECT_EQ(left(false, "/"), memory_unlimited);
    EXPECT_EQ(left(false, ""), memory_unlimited);
    EXPECT_EQ(left(true, "no slash"), memory_unlimited);
}

TEST_F(ControlGroups, HaveALimitWhateverIsUsed) {
    write("memory.max", "900\n");
    write("a/memory.max", "1000\n");
    write("a/memory.current", "300\n");
    EXPECT_EQ(limit_of_group(root_.string(), {true, "/a"}), 900U);
}

TEST(TheMemoryOfAComputer, IsNoLessThanWhatIsLeftOfIt) { EXPECT_GE(memory_in_all(), memory_available()); }

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

TEST_F(ControlGroups, DoNotCountTheirFileCache) {
    write("memory/a/memory.limit_in_bytes", "1000\n");
    write("memory/a/memory.usage_in_bytes", "900\n");
    write("memory/a/memory.stat", "cache 600\ninactive_file 1\ntotal_inactive_file 500\n");
    EXPECT_EQ(left(false, "/a"), 600U);
    write("b/memory.max", "1000\n");
    write("b/memory.current", "900\n");
    write("b/memory.stat", "anon 300\ninactive_file 500\n");
    EXPECT_EQ(left(true, "/b"), 600U);
}

TEST_F(ControlGroups, CountAllMemoryIfTheFileCacheIsUnknown) {
    write("a/memory.max", "1000\n");
    write("a/memory.current", "900\n");
    write("a/memory.stat", "inactive_file many\n");
    EXPECT_EQ(left(true, "/a"), 100U);
    write("a/memory.current", "999\n");
    EXPECT_EQ(left(true, "/a"), 1U);
}

TEST_F(ControlGroups, OverTheirLimitLeaveZero) {
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
    EXPECT_TRUE(memory_groups("1::/x\n0:cpu:/x\n2:memoryless:/x\n3\n4:memory\n0:").empty());
    EXPECT_EQ(memory_groups("7:cpu,memory,io:/x:y").at(0).path, "/x:y");
    EXPECT_TRUE(memory_groups("0::").at(0).unified);
}

TEST(Kibibytes, AreReadByTheirKey) {
    const char* text =
        "MemFree:  1 kB\nMemAvailable:   24046092 kB\nVmSize:\tnot a number\nHuge: 99999999999999999999 kB\n";
    EXPECT_EQ(kibibytes_of(text, "MemAvailable"), 24046092ULL * 1024);
    EXPECT_EQ(kibibytes_of(text, "MemAvail"), std::nullopt);
    EXPECT_EQ(kibibytes_of(text, "VmSize"), std::nullopt);
    EXPECT_EQ(kibibytes_of(text, "Huge"), std::nullopt);
    EXPECT_EQ(kibibytes_of("", "MemFree"), std::nullopt);
    EXPECT_EQ(kibibytes_of("MemFree:", "MemFree"), std::nullopt);
    EXPECT_EQ(kibibytes_of("MemFree", "MemFree"), std::nullopt);
    EXPECT_EQ(kibibytes_of("MemFree: 7", "MemFree"), 7168U);
    EXPECT_EQ(kibibytes_of("M: 18014398509481983 kB", "M"), memory_unlimited - 1023);
    EXPECT_EQ(kibibytes_of("M: 18014398509481984 kB", "M"), std::nullopt) << "2^64 bytes";
}

/// A limit of this process, as long as it lives.
class Limited {
  public:
    Limited(__rlimit_resource resource, rlim_t to) : resource_(resource) {
        getrlimit(resource, &before_);
        const rlimit limit{to, std::max(to, before_.rlim_max)};
        set = setrlimit(resource, &limit) == 0;
    }
    Limited(const Limited&) = delete;
    Limited& operator=(const Limited&) = delete;
    ~Limited() { setrlimit(resource_, &before_); }

    bool set = false;

  private:
    __rlimit_resource resource_;
    rlimit before_{};
};

std::uint64_t taken(const char* key) {
    std::ifstream status("/proc/self/status");
    const std::string text{std::istreambuf_iterator<char>(status), {}};
    return kibibytes_of(text, key).value();
}

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

TEST(MemoryAvailable, IsTheRestOfTheLimitsOfTheProcess) {
    {
        const Limited limit(RLIMIT_AS, taken("VmSize") + gibibyte);
        ASSERT_TRUE(limit.set);
        EXPECT_LE(address_space_left(), gibibyte);
        EXPECT_GT(address_space_left(), gibibyte - (gibibyte >> 3));
        EXPECT_LE(memory_available(), gibibyte);
        EXPECT_LE(memory_in_all(), gibibyte) << "what a run may take of it is what is left, also to who chooses";
    }
    const Limited limit(RLIMIT_DATA, taken("VmData") + gibibyte / 2);
    ASSERT_TRUE(limit.set);
    EXPECT_LE(memory_available(), gibibyte / 2);
    EXPECT_GT(memory_available(), gibibyte / 4);
    EXPECT_GT(address_space_left(), gibibyte);
}

TEST(MemoryAvailable, IsNotLimitedByWhatIsNoLimit) {
    const Limited none(RLIMIT_AS, RLIM_INFINITY);
    if (!none.set) GTEST_SKIP() << "only root may take a limit away";
    EXPECT_EQ(address_space_left(), memory_unlimited);
}

TEST(MemoryAvailable, IsPositiveHere) {
    EXPECT_GT(memory_available(), std::uint64_t{1} << 20);
    EXPECT_LT(memory_available(), std::uint64_t{1} << 50);
}

}  // namespace
}  // namespace kport
