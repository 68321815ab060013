/// @file pinning.hpp   Which cores this process may use, and threads that stay on one of them.
///
/// A "PU" (hwloc: processing unit) is what the operating system schedules threads on: a core, or one of the
/// hardware threads of a core. It is named by the number that the operating system gives it.
#pragma once

#include <hwloc.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

namespace kport::chip {

/// The number of a PU.
using Pu = unsigned;

/// The machine as hwloc sees it, loaded when first asked for. Any thread. Throws std::runtime_error where hwloc cannot
/// read it, then and again at each call.
[[nodiscard]] hwloc_topology_t topology();

/// The PUs on which this process may run: what its affinity mask (taskset) and its control groups (cpusets) leave, as it
/// was when first asked. One PU of each core comes before the second of any: the first n are the n best for n threads.
/// Never empty. Any thread. Throws as topology().
[[nodiscard]] const std::vector<Pu>& usable_pus();

/// A set of PUs of hwloc's; null where there was no memory for it.
struct FreeBitmap {
    void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

/// Pins the calling thread to one PU as long as this object lives, then restores its affinity. A failure is no error:
/// measurements continue and report it.
///
/// Callers   made and destroyed by the thread that is pinned.
class Pinned {
  public:
    explicit Pinned(Pu pu);
    ~Pinned();
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;

    [[nodiscard]] bool in_force() const { return why_not_.empty(); }
    /// Empty when in force, else one clause: "the system does not bind threads to cores (Operation not permitted)".
    [[nodiscard]] const std::string& why_not() const { return why_not_; }

  private:
    Bitmap before_;
    std::string why_not_;
};

/// Pins the calling thread to every usable PU in turn. Empty on success, else the reason, as above.
[[nodiscard]] std::string why_not_pinnable();

/// Keeps the threads that work in an arena of oneTBB on PUs of their own while they work there: the thread of slot i on
/// the i-th of usable_pus(), beginning again when there are fewer PUs than slots.
///
/// Callers   made before the arena gets work; destroyed outside of it when the work is done. The destructor waits until
///           the workers have left the arena, so that none of them stays pinned.
class PinnedArena final : public tbb::task_scheduler_observer {
  public:
    explicit PinnedArena(tbb::task_arena& arena);
    ~PinnedArena() override;
    PinnedArena(const PinnedArena&) = delete;
    PinnedArena& operator=(const PinnedArena&) = delete;

    void on_scheduler_entry(bool is_worker) override;
    void on_scheduler_exit(bool is_worker) override;

    /// Empty if every thread so far was pinned, else the reason of a failure. Any thread.
    [[nodiscard]] std::string why_not() const;

  private:
    std::vector<std::optional<Pinned>> by_slot_;  ///< a slot has one thread at a time
    std::atomic<int> inside_ = 0;
    mutable std::mutex why_not_guard_;
    std::string why_not_;
};

}  // namespace kport::chip
