#include "app/chip/hardware.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "emulator/base/memory_limit.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::chip {

namespace {

/// Returns the content of a file; empty if it cannot be read.
std::string contents(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

unsigned count(hwloc_obj_type_t type) {
    return static_cast<unsigned>(std::max(0, hwloc_get_nbobjs_by_type(topology(), type)));
}

std::vector<Cache> caches() {
    std::vector<Cache> found;
    for (const hwloc_obj_type_t type :
         {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE}) {
        const hwloc_obj* first = hwloc_get_obj_by_type(topology(), type, 0);
        if (first == nullptr) continue;
        const auto& attributes = first->attr->cache;
        const int shared_by = hwloc_bitmap_weight(first->cpuset);
        found.push_back(
            {attributes.depth, attributes.size, attributes.linesize, count(type), static_cast<unsigned>(shared_by)});
    }
    return found;
}

/// hwloc calls it CPUModel, an attribute of the packages, or of the machine if all are equal.
std::string cpu_model() {
    for (hwloc_obj_t object : {hwloc_get_obj_by_type(topology(), HWLOC_OBJ_PACKAGE, 0), hwloc_get_root_obj(topology())})
        if (const char* name = object == nullptr ? nullptr : hwloc_obj_get_info_by_name(object, "CPUModel"))
            if (*name != '\0') return name;
    return "unknown";
}

/// Known on x86 only, from the flags of the cores.
bool is_virtual(std::string_view cpuinfo) {
    for (const std::string_view line : split(cpuinfo, '\n'))
        if (line.starts_with("flags")) return line.find(" hypervisor") != std::string_view::npos;
    return false;
}

}  // namespace

std::optional<double> cores_in(std::string_view quota_and_period) {
    std::vector<std::uint64_t> numbers;
    for (const std::string_view line : split(quota_and_period, '\n'))
        for (const std::string_view word : split(line, ' '))
            if (!word.empty()) numbers.push_back(to_count(word).value_or(0));
    if (numbers.size() != 2 || numbers[0] == 0 || numbers[1] == 0) return std::nullopt;
    return static_cast<double>(numbers[0]) / static_cast<double>(numbers[1]);
}

std::optional<double> time_limit_of(const std::string& root, std::string_view proc_self_cgroup) {
    if (access(root.c_str(), F_OK) != 0) return std::nullopt;
    std::optional<double> least;
    const auto consider = [&](const std::string& text) {
        if (const auto limit = cores_in(text)) least = std::min(least.value_or(*limit), *limit);
    };
    for (const std::string_view line : split(proc_self_cgroup, '\n')) {  // "1:cpu,cpuacct:/a/b", v2 "0::/a/b"
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
        if (second == std::string_view::npos) continue;
        const std::vector<std::string_view> controllers = split(line.substr(first + 1, second - first - 1), ',');
        const bool unified = controllers.front().empty();
        if (!unified && std::find(controllers.begin(), controllers.end(), "cpu") == controllers.end()) continue;
        for (std::string path(line.substr(second + 1));; path.resize(path.rfind('/'))) {
            if (path == "/") path.clear();
            const std::string v1 = fmt::format("{}/cpu{}/cpu.cfs_", root, path);
            consider(unified ? contents(root + path + "/cpu.max")
                             : contents(v1 + "quota_us") + " " + contents(v1 + "period_us"));
            if (path.find('/') == std::string::npos) break;
        }
    }
    return least;
}

const Cache* Hardware::cache_for(std::uint64_t bytes_wanted) const {
    const auto fits = [&](const Cache& cache) { return cache.bytes >= bytes_wanted; };
    const auto found = std::find_if(caches.begin(), caches.end(), fits);
    return found == caches.end() ? nullptr : &*found;
}

Hardware hardware(const std::string& root) {
    Hardware machine;
    machine.cpu = cpu_model();
    machine.virtual_machine = is_virtual(contents(root + "/proc/cpuinfo"));
    machine.packages = count(HWLOC_OBJ_PACKAGE);
    machine.cores = count(HWLOC_OBJ_CORE);
    machine.pus = count(HWLOC_OBJ_PU);
    machine.numa_nodes = count(HWLOC_OBJ_NUMANODE);
    // Not the sum over the NUMA nodes, as hwloc computes it: the files of the nodes may lag behind memory that is added
    // while the system runs.
    machine.memory_bytes = kibibytes_of(contents(root + "/proc/meminfo"), "MemTotal")
                               .value_or(hwloc_get_root_obj(topology())->total_memory);
    machine.caches = caches();
    machine.usable = usable_pus();
    machine.time_limit = time_limit_of(root + "/sys/fs/cgroup", contents(root + "/proc/self/cgroup"));
    return machine;
}

}  // namespace kport::chip
