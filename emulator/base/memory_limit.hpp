/// @file memory_limit.hpp   The memory that this process may still take: Linux overcommits and kills later.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kport {

/// "No limit" in bytes.
inline constexpr std::uint64_t memory_unlimited = std::numeric_limits<std::uint64_t>::max();

/// The minimum of the machine's available memory, the rest of the process's own limits (RLIMIT_AS, RLIMIT_DATA), and the
/// rest of each enclosing control group's limit. Unreadable files impose no limit; it never throws for them.
[[nodiscard]] std::uint64_t memory_available();

/// The same where no other process uses any: all of the machine's memory, the limits of the groups, and the rest of the process's own
/// limits. The same each time that a process comes to the same place.
[[nodiscard]] std::uint64_t memory_in_all();

/// The rest of RLIMIT_AS, which counts reserved memory, touched or not.
[[nodiscard]] std::uint64_t address_space_left();

/// The value of a line such as "MemAvailable:   24046092 kB" in a text of such lines, in bytes.
[[nodiscard]] std::optional<std::uint64_t> kibibytes_of(std::string_view text, std::string_view key);

/// A control group that limits memory: its folder below the root of its hierarchy.
struct MemoryGroup {
    bool unified = false;  ///< cgroup v2
    std::string path;      ///< "/user/42"
};
/// The groups that /proc/self/cgroup names: those of v2 and of v1's memory controller.
[[nodiscard]] std::vector<MemoryGroup> memory_groups(std::string_view proc_self_cgroup);

/// The smallest of limit minus usage (file cache not counted) over the group and its ancestors, read below `root` (usually /sys/fs/cgroup, where
/// v1 has a folder "memory", and v2 is at the top or in a folder "unified" beside v1).
[[nodiscard]] std::uint64_t left_in_group(const std::string& root, const MemoryGroup& group);
/// The smallest limit alone.
[[nodiscard]] std::uint64_t limit_of_group(const std::string& root, const MemoryGroup& group);

}  // namespace kport
