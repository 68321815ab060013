#include "emulator/base/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Returns the content of a file; empty if it cannot be read.
std::string contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return std::move(text).str();
}

std::optional<std::uint64_t> number_in(const std::string& path) {
    const std::string text = contents(path);
    return to_count(std::string_view(text).substr(0, text.find_last_not_of(" \n") + 1));
}

std::uint64_t left(std::uint64_t limit, std::uint64_t used) { return limit > used ? limit - used : 0; }

/// Returns the group's memory without its file cache, which the system reclaims on demand.
std::uint64_t held_by_group(const std::string& folder, bool unified) {
    const std::uint64_t usage =
        number_in(folder + (unified ? "/memory.current" : "/memory.usage_in_bytes")).value_or(0);
    const std::string_view key = unified ? "inactive_file " : "total_inactive_file ";
    const std::string statistics = contents(folder + "/memory.stat");
    for (const std::string_view line : split(statistics, '\n'))
        if (line.starts_with(key)) return left(usage, to_count(line.substr(key.size())).value_or(0));
    return usage;
}

std::uint64_t limit_on(int resource) {
    rlimit limit{};
    if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return memory_unlimited;
    return limit.rlim_cur;
}

/// Returns what is left of a limit. `used`: its key in /proc/self/status, which is slow to read and is read only if
/// there is a limit.
std::uint64_t left_of(int resource, std::string_view used) {
    const std::uint64_t limit = limit_on(resource);
    if (limit == memory_unlimited) return limit;
    return left(limit, kibibytes_of(contents("/proc/self/status"), used).value_or(0));
}

/// Returns what is left of the process's own limits, which other processes cannot use.
std::uint64_t left_of_own_limits() { return std::min(left_of(RLIMIT_AS, "VmSize"), left_of(RLIMIT_DATA, "VmData")); }

/// Returns the least value of `left(limit, folder)` over a group and the groups around it.
template <class Left>
std::uint64_t least_in_group(const std::string& root, const MemoryGroup& group, const Left& left_of_limit) {
    const std::vector<std::string> hierarchies =
        group.unified ? std::vector{root, root + "/unified"} : std::vector{root + "/memory"};
    const char* limit_file = group.unified ? "/memory.max" : "/memory.limit_in_bytes";
    std::uint64_t least = memory_unlimited;
    for (const std::string& hierarchy : hierarchies) {
        if (access(hierarchy.c_str(), F_OK) != 0) continue;
        std::string path = group.path;
        while (true) {
            // "No limit" is the word "max" in v2 and a huge number in v1.
            if (const auto limit = number_in(hierarchy + path + limit_file))
                least = std::min(least, left_of_limit(*limit, hierarchy + path));
            if (path.empty()) break;
            const std::size_t slash = path.rfind('/');
            path.resize(slash == std::string::npos ? 0 : slash);
        }
    }
    return least;
}

}  // namespace

std::optional<std::uint64_t> kibibytes_of(std::string_view text, std::string_view key) {
    for (const std::string_view line : split(text, '\n')) {
        if (!line.starts_with(key) || !line.substr(key.size()).starts_with(':')) continue;
        std::string_view value = line.substr(key.size() + 1);
        value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
        const std::optional<std::uint64_t> kib = to_count(value.substr(0, value.find(' ')));
        if (kib && *kib <= memory_unlimited / 1024) return *kib * 1024;
    }
    return std::nullopt;
}

std::vector<MemoryGroup> memory_groups(std::string_view proc_self_cgroup) {
    std::vector<MemoryGroup> groups;
    for (const std::string_view line : split(proc_self_cgroup, '\n')) {  // "4:memory:/a/b", v2 "0::/a/b"
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
        if (second == std::string_view::npos) continue;
        const std::vector<std::string_view> controllers = split(line.substr(first + 1, second - first - 1), ',');
        const bool unified = line.substr(0, first) == "0" && controllers.front().empty();
        if (unified || std::find(controllers.begin(), controllers.end(), "memory") != controllers.end())
            groups.push_back({unified, std::string(line.substr(second + 1))});
    }
    return groups;
}

std::uint64_t left_in_group(const std::string& root, const MemoryGroup& group) {
    return least_in_group(root, group, [&](std::uint64_t limit, const std::string& folder) {
        return left(limit, held_by_group(folder, group.unified));
    });
}

std::uint64_t limit_of_group(const std::string& root, const MemoryGroup& group) {
    return least_in_group(root, group, [](std::uint64_t limit, const std::string&) { return limit; });
}

namespace {

/// Returns the least of a value of /proc/meminfo, of what is left of the process's own limits, and of what its groups
/// have.
std::uint64_t least_of_all(std::string_view key, std::uint64_t (*of_group)(const std::string&, const MemoryGroup&)) {
    std::uint64_t least = kibibytes_of(contents("/proc/meminfo"), key).value_or(memory_unlimited);
    least = std::min(least, left_of_own_limits());
    for (const MemoryGroup& group : memory_groups(contents("/proc/self/cgroup")))
        least = std::min(least, of_group("/sys/fs/cgroup", group));
    return least;
}

}  // namespace

std::uint64_t address_space_left() { return left_of(RLIMIT_AS, "VmSize"); }

std::uint64_t memory_available() { return least_of_all("MemAvailable", left_in_group); }

std::uint64_t memory_in_all() { return least_of_all("MemTotal", limit_of_group); }

}  // namespace kport
