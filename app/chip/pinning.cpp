#include "app/chip/pinning.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

namespace kport::chip {

namespace {

class Topology {
  public:
    Topology() {
        // Includes cores that control groups forbid: the report shows the machine's cores next to the usable ones.
        if (hwloc_topology_init(&handle_) != 0) throw std::runtime_error("hwloc gives no topology");
        hwloc_topology_set_flags(handle_, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
        if (hwloc_topology_load(handle_) == 0) return;
        hwloc_topology_destroy(handle_);
        throw std::runtime_error("hwloc cannot read the topology of this machine");
    }
    ~Topology() { hwloc_topology_destroy(handle_); }
    Topology(const Topology&) = delete;
    Topology& operator=(const Topology&) = delete;

    [[nodiscard]] hwloc_topology_t handle() const { return handle_; }

  private:
    hwloc_topology_t handle_ = nullptr;
};

/// Returns the index of a PU among those of its core in the set.
int place_in_core(hwloc_obj_t pu, hwloc_const_bitmap_t set) {
    auto* const core = hwloc_get_ancestor_obj_by_type(topology(), HWLOC_OBJ_CORE, pu);
    if (core == nullptr) return 0;
    int place = 0;
    for (int i = hwloc_bitmap_first(core->cpuset); i >= 0; i = hwloc_bitmap_next(core->cpuset, i))
        if (static_cast<unsigned>(i) < pu->os_index && hwloc_bitmap_isset(set, static_cast<unsigned>(i)) != 0) ++place;
    return place;
}

std::vector<Pu> find_usable_pus() {
    auto* const machine = topology();
    const Bitmap owned(hwloc_bitmap_alloc());
    if (!owned) throw std::bad_alloc();
    auto* const set = owned.get();
    if (hwloc_get_cpubind(machine, set, HWLOC_CPUBIND_PROCESS) != 0)
        hwloc_bitmap_copy(set, hwloc_topology_get_allowed_cpuset(machine));
    std::vector<std::pair<int, Pu>> found;
    for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_PU, pu)) != nullptr;)
        if (hwloc_bitmap_isset(set, pu->os_index) != 0) found.emplace_back(place_in_core(pu, set), pu->os_index);
    if (found.empty()) throw std::runtime_error("hwloc knows none of the cores on which this process may run");
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Pu> pus;
    pus.reserve(found.size());
    for (const auto& [place, pu] : found) pus.push_back(pu);
    return pus;
}

}  // namespace

hwloc_topology_t topology() {
    static const Topology machine;
    return machine.handle();
}

const std::vector<Pu>& usable_pus() {
    static const std::vector<Pu> pus = find_usable_pus();
    return pus;
}

Pinned::Pinned(Pu pu) : before_(hwloc_bitmap_alloc()) {
    auto* const machine = topology();
    const Bitmap one(hwloc_bitmap_alloc());
    if (!before_ || !one) {
        why_not_ = "there is no memory for the sets of cores";
        return;
    }
    hwloc_bitmap_only(one.get(), pu);
    if (hwloc_get_cpubind(machine, before_.get(), HWLOC_CPUBIND_THREAD) != 0 ||
        hwloc_set_cpubind(machine, one.get(), HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT) != 0)
        why_not_ = std::string("the system does not bind threads to cores (") + std::strerror(errno) + ")";
}

Pinned::~Pinned() {
    if (in_force()) hwloc_set_cpubind(topology(), before_.get(), HWLOC_CPUBIND_THREAD);
}

std::string why_not_pinnable() {
    for (const Pu pu : usable_pus())
        if (const Pinned pinned(pu); !pinned.in_force()) return pinned.why_not();
    return {};
}

PinnedArena::PinnedArena(tbb::task_arena& arena)
    : tbb::task_scheduler_observer(arena),
      // oneTBB gives an arena for one thread a second slot, for enqueued tasks.
      by_slot_(static_cast<std::size_t>(arena.max_concurrency()) + 1) {
    (void)usable_pus();  // may throw, which a worker must not
    arena.initialize();  // if observe() did this and ran out of memory, the observer could not be destroyed
    observe(true);
}

PinnedArena::~PinnedArena() {
    while (inside_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
    observe(false);
}

void PinnedArena::on_scheduler_entry(bool) {
    inside_.fetch_add(1, std::memory_order_relaxed);
    const auto slot = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    if (slot >= by_slot_.size()) return;
    const std::vector<Pu>& pus = usable_pus();
    const Pinned& pinned = by_slot_[slot].emplace(pus[slot % pus.size()]);
    if (pinned.in_force()) return;
    const std::scoped_lock guard(why_not_guard_);
    why_not_ = pinned.why_not();
}

void PinnedArena::on_scheduler_exit(bool) {
    const auto slot = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    if (slot < by_slot_.size()) by_slot_[slot].reset();
    inside_.fetch_sub(1, std::memory_order_release);
}

std::string PinnedArena::why_not() const {
    const std::scoped_lock guard(why_not_guard_);
    return why_not_;
}

}  // namespace kport::chip
