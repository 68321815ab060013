/// @file hardware.hpp   What this computer is, as far as hwloc and the system tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/chip/pinning.hpp"

namespace kport::chip {

/// All caches of a level that hold data.
struct Cache {
    unsigned level = 0;
    std::uint64_t bytes = 0;  ///< of one of them
    unsigned line_bytes = 0;
    unsigned count = 0;      ///< how many there are in the machine
    unsigned shared_by = 0;  ///< PUs that share one
};

struct Hardware {
    std::string cpu;  ///< the model's name; "unknown" where the system does not tell
    bool virtual_machine = false;
    unsigned packages = 0;
    unsigned cores = 0;
    unsigned pus = 0;  ///< more than cores where a core runs several hardware threads
    unsigned numa_nodes = 0;
    std::uint64_t memory_bytes = 0;  ///< that the system has for all (MemTotal)
    std::vector<Cache> caches;       ///< the smallest level first
    std::vector<Pu> usable;          ///< usable_pus()
    /// How many cores' worth of time the control groups grant, where they grant less than all of it: with 1.5, threads on
    /// two cores stand still a quarter of the time.
    std::optional<double> time_limit;

    /// The smallest cache that holds so many bytes; null: none does.
    [[nodiscard]] const Cache* cache_for(std::uint64_t bytes_wanted) const;
};

/// Reads it all: cores and caches by hwloc, the rest from the files of the system below `root` (empty: the system's own).
/// Throws std::runtime_error where hwloc cannot.
[[nodiscard]] Hardware hardware(const std::string& root = "");

/// The cores' worth of time that a quota and a period grant, as the files of a control group have them: "150000 100000" is
/// 1.5 cores; "max 100000", "-1 100000", and what cannot be read are no limit.
[[nodiscard]] std::optional<double> cores_in(std::string_view quota_and_period);

/// The smallest limit of the group that a text such as /proc/self/cgroup names and of those around it, in cores: v2's
/// cpu.max and v1's cpu.cfs_quota_us, read below `root` (usually /sys/fs/cgroup).
[[nodiscard]] std::optional<double> time_limit_of(const std::string& root, std::string_view proc_self_cgroup);

}  // namespace kport::chip
