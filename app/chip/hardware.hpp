/// @file hardware.hpp   A description of this computer, from hwloc and the system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/chip/pinning.hpp"

namespace kport::chip {

/// All data caches of a level.
struct Cache {
    unsigned level = 0;
    std::uint64_t bytes = 0;  ///< size of one of them
    unsigned line_bytes = 0;
    unsigned count = 0;      ///< number in the machine
    unsigned shared_by = 0;  ///< PUs that share one
};

struct Hardware {
    std::string cpu;  ///< the model's name; "unknown" if the system does not report it
    bool virtual_machine = false;
    unsigned packages = 0;
    unsigned cores = 0;
    unsigned pus = 0;  ///< more than cores if a core runs several hardware threads
    unsigned numa_nodes = 0;
    std::uint64_t memory_bytes = 0;  ///< total memory (MemTotal)
    std::vector<Cache> caches;       ///< smallest level first
    std::vector<Pu> usable;          ///< usable_pus()
    /// How many cores' worth of time the control groups grant, if less than all: with 1.5, threads on two cores are
    /// stopped a quarter of the time.
    std::optional<double> time_limit;

    /// Returns the smallest cache that holds so many bytes; null if there is none.
    [[nodiscard]] const Cache* cache_for(std::uint64_t bytes_wanted) const;
};

/// Reads cores and caches with hwloc, the rest from system files below `root` (empty: the real ones). Throws
/// std::runtime_error if hwloc fails.
[[nodiscard]] Hardware hardware(const std::string& root = "");

/// Returns the cores' worth of time in a control group's quota and period: "150000 100000" is 1.5 cores; "max 100000",
/// "-1 100000", and unreadable texts are no limit.
[[nodiscard]] std::optional<double> cores_in(std::string_view quota_and_period);

/// Returns the smallest limit, in cores, of the group named in a text such as /proc/self/cgroup and the groups around
/// it: v2's cpu.max and v1's cpu.cfs_quota_us, read below `root` (usually /sys/fs/cgroup).
[[nodiscard]] std::optional<double> time_limit_of(const std::string& root, std::string_view proc_self_cgroup);

}  // namespace kport::chip
