/// @file hardware_test.cpp   The computer according to hwloc, and the files of the system read from a folder.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "app/chip/hardware.hpp"

namespace kport::chip {
namespace {

namespace fs = std::filesystem;

TEST(Hardware, OfThisComputerAgreesWithItself) {
    const Hardware machine = hardware();
    EXPECT_EQ(machine.usable, usable_pus());
    EXPECT_LE(machine.usable.size(), machine.pus);
    EXPECT_LE(machine.cores, machine.pus);
    EXPECT_GE(machine.cores, machine.packages);
    EXPECT_GE(machine.numa_nodes, 1U);
    EXPECT_GT(machine.memory_bytes, 0U);
    for (std::size_t i = 1; i < machine.caches.size(); ++i) {
        EXPECT_GT(machine.caches[i].level, machine.caches[i - 1].level);
        EXPECT_GE(machine.caches[i].shared_by, machine.caches[i - 1].shared_by);
    }
}

TEST(Hardware, FindsTheSmallestCacheThatHolds) {
    Hardware machine;
    machine.caches = {{1, 1000, 64, 1, 1}, {2, 5000, 64, 1, 1}};
    EXPECT_EQ(machine.cache_for(1000)->level, 1U);
    EXPECT_EQ(machine.cache_for(1001)->level, 2U);
    EXPECT_EQ(machine.cache_for(5001), nullptr);
}

/// A folder that looks like the system's own, or like /sys/fs/cgroup.
class SystemFiles : public testing::Test {
  protected:
    SystemFiles() {
        std::string name = (fs::temp_directory_path() / "kport-chip-XXXXXX").string();
        EXPECT_NE(mkdtemp(name.data()), nullptr);
        root = name;
    }
    ~SystemFiles() override { fs::remove_all(root); }
    void write(const std::string& file, const std::string& text) const {
        fs::create_directories((root / file).parent_path());
        std::ofstream(root / file) << text << "\n";
    }
    [[nodiscard]] std::optional<double> of(const char* proc_self_cgroup) const {
        return time_limit_of(root.string(), proc_self_cgroup);
    }
    fs::path root;
};
using HardwareOf = SystemFiles;
using TimeLimit = SystemFiles;

TEST_F(HardwareOf, ReportsTheMemoryOfTheSystemAndNotOfItsNodes) {
    write("proc/meminfo", "MemTotal:       24684084 kB\nMemFree:        24004340 kB");
    // As after memory was added: the node's file is not updated.
    write("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:       11700000 kB");
    EXPECT_EQ(hardware(root.string()).memory_bytes, std::uint64_t{24684084} * 1024);
}

TEST_F(HardwareOf, ReadsEveryFileOfTheSystemBelowTheRoot) {
    write("proc/cpuinfo", "processor : 0\nflags : fpu hypervisor sse");
    write("proc/self/cgroup", "0::/a");
    write("sys/fs/cgroup/a/cpu.max", "50000 100000");
    const Hardware machine = hardware(root.string());
    EXPECT_TRUE(machine.virtual_machine);
    EXPECT_EQ(machine.time_limit, 0.5);
    write("proc/cpuinfo", "processor : 0\nflags : fpu sse");
    EXPECT_FALSE(hardware(root.string()).virtual_machine);
}

TEST_F(TimeLimit, IsTheSmallestOfTheGroupsAround) {
    write("a/cpu.max", "300000 100000");
    write("a/b/cpu.max", "150000 100000");
    write("a/b/c/cpu.max", "max 100000");
    EXPECT_EQ(of("0::/a/b/c\n"), 1.5);
    EXPECT_EQ(of("0::/a\n"), 3);
}

TEST_F(TimeLimit, IsReadInTheOldHierarchyToo) {
    write("cpu/a/cpu.cfs_quota_us", "50000");
    write("cpu/a/cpu.cfs_period_us", "100000");
    EXPECT_EQ(of("4:memory:/a\n3:cpu,cpuacct:/a\n0::/\n"), 0.5);
    write("cpu/a/cpu.cfs_quota_us", "-1");
    EXPECT_EQ(of("3:cpu,cpuacct:/a\n"), std::nullopt);
}

TEST(CoresIn, AreAQuotaInAPeriodOfWholeNumbers) {
    EXPECT_EQ(cores_in("150000 100000\n"), 1.5);
    EXPECT_EQ(cores_in("50000\n 100000\n"), 0.5);
    for (const char* none :
         {"", "max 100000", "-1 100000", "100000", "1 0", "0 1", "1 2 3", "1e308 1", "inf 1", "1 1e308"})
        EXPECT_EQ(cores_in(none), std::nullopt) << none;
}

TEST_F(TimeLimit, IsNoneByDefault) {
    EXPECT_EQ(of("0::/\n"), std::nullopt);
    EXPECT_EQ(of("no such\ntext\n"), std::nullopt);
    write("cpu.max", "some words");
    EXPECT_EQ(of("0::/\n"), std::nullopt);
}

}  // namespace
}  // namespace kport::chip
