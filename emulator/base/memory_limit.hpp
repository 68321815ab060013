/// @file memory_limit.hpp   The memory that this process may still take, and the most that it took: Linux overcommits and kills later.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>

namespace kport {

/// "No limit" in bytes.
inline constexpr std::uint64_t memory_unlimited = std::numeric_limits<std::uint64_t>::max();

/// Returns the least of the machine's available memory, the rest of the process's own limits (RLIMIT_AS, RLIMIT_DATA),
/// and the rest of each enclosing control group's limit. Unreadable files impose no limit and cause no exception.
[[nodiscard]] std::uint64_t memory_available();

/// Returns memory_available() as if no other process used memory: the least of the machine's memory, the groups'
/// limits, and the rest of the process's own limits. Repeatable, unlike memory_available().
[[nodiscard]] std::uint64_t memory_in_all();

/// Returns the rest of RLIMIT_AS, which counts reserved memory, touched or not.
[[nodiscard]] std::uint64_t address_space_left();

/// Returns the value of a line such as "MemAvailable:   24046092 kB", in bytes.
[[nodiscard]] std::optional<std::uint64_t> kibibytes_of(std::string_view text, std::string_view key);

/// A control group that limits memory: its folder below the root of its hierarchy.
struct MemoryGroup {
    bool unified = false;  ///< cgroup v2
    std::string path;      ///< "/user/42"
};
/// Returns the groups that /proc/self/cgroup names: those of v2 and of v1's memory controller.
[[nodiscard]] std::vector<MemoryGroup> memory_groups(std::string_view proc_self_cgroup);

/// Returns the least of limit minus usage (without file cache) over the group and its ancestors, read below `root`:
/// usually /sys/fs/cgroup, where v1 has a folder "memory", and v2 is at the top or in a folder "unified" beside v1.
[[nodiscard]] std::uint64_t left_in_group(const std::string& root, const MemoryGroup& group);
/// Returns the smallest limit of the group and its ancestors.
[[nodiscard]] std::uint64_t limit_of_group(const std::string& root, const MemoryGroup& group);

/// Returns the largest number of bytes that were resident so far; 0 if the system does not report it.
[[nodiscard]] inline std::uint64_t peak_memory_bytes() {
    rusage usage{};
    return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024 : 0;
}

}  // namespace kport
