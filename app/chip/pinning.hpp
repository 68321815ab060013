/// @file pinning.hpp   The cores that this process may use, and threads pinned to them.
///
/// A "PU" (hwloc: processing unit) is what the operating system schedules threads on: a core, or one of the hardware
/// threads of a core. It is identified by the operating system's number.
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

/// Returns the machine as hwloc sees it, loaded on first use. Any thread. Throws std::runtime_error, on each call, if
/// hwloc cannot read it.
[[nodiscard]] hwloc_topology_t topology();

/// Returns the PUs on which this process may run, by its affinity mask (taskset) and control groups (cpusets) at the
/// first call. One PU of each core comes before the second of any: the first n are the n best for n threads. Never
/// empty. Any thread. Throws as topology().
[[nodiscard]] const std::vector<Pu>& usable_pus();

/// A set of PUs in hwloc's form; null if there was no memory for it.
struct FreeBitmap {
    void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

/// Pins the calling thread to one PU while this object lives, then restores its affinity. A failure is no error:
/// measurements continue and report it.
///
/// Callers   created and destroyed by the pinned thread.
class Pinned {
  public:
    explicit Pinned(Pu pu);
    ~Pinned();
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;

    [[nodiscard]] bool in_force() const { return why_not_.empty(); }
    /// Returns an empty text when in force, else one clause: "the system does not bind threads to cores (Operation not
    /// permitted)".
    [[nodiscard]] const std::string& why_not() const { return why_not_; }

  private:
    Bitmap before_;
    std::string why_not_;
};

/// Pins the calling thread to every usable PU in turn. Returns an empty text on success, else the reason.
[[nodiscard]] std::string why_not_pinnable();

/// Pins the threads that work in a oneTBB arena to PUs of their own while they work there: the thread of slot i to the
/// i-th of usable_pus(), starting over if there are fewer PUs than slots.
///
/// Callers   created before the arena gets work; destroyed outside of it after the work. The destructor waits until the
///           workers have left the arena, so that none of them stays pinned.
class PinnedArena final : public tbb::task_scheduler_observer {
  public:
    explicit PinnedArena(tbb::task_arena& arena);
    ~PinnedArena() override;
    PinnedArena(const PinnedArena&) = delete;
    PinnedArena& operator=(const PinnedArena&) = delete;

    void on_scheduler_entry(bool is_worker) override;
    void on_scheduler_exit(bool is_worker) override;

    /// Returns an empty text if every thread so far was pinned, else the reason of a failure. Any thread.
    [[nodiscard]] std::string why_not() const;

  private:
    std::vector<std::optional<Pinned>> by_slot_;  ///< a slot has one thread at a time
    std::atomic<int> inside_ = 0;
    mutable std::mutex why_not_guard_;
    std::string why_not_;
};

}  // namespace kport::chip
