/// @file crew.hpp   The threads that serve the partitions of a lockstep run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include "emulator/engine/job.hpp"
#include "emulator/engine/order.hpp"
#include "emulator/engine/partition.hpp"
#include "emulator/engine/phase_clock.hpp"
#include "emulator/engine/sharing.hpp"

namespace kport {

/// All threads of the run, where there is enough for them to do; else the caller's alone. Waking threads takes as long as some
/// thousand messages.
///
/// Callers   one task; what it serves: any.
class Crew {
  public:
    Crew(const RunOptions& options, const Deal& deal)
        : options_(options), block_(deal.block()), clock_(options.phases, options.threads),
          parallel_(options.threads > 1 && options.order == nullptr && deal.partitions() > 1) {}

    /// Calls body() where its tasks find the threads.
    template <class Body>
    void run(const Body& body) {
        if (!parallel_) return body();
        // Without the control a machine with fewer cores would quietly run on fewer threads than were asked for.
        const tbb::global_control control(tbb::global_control::max_allowed_parallelism, options_.threads);
        arena_for(options_.threads).execute(body);
    }

    /// A round with less to do than a block's nodes is over before other threads have woken up.
    [[nodiscard]] bool worth_threads(std::size_t load) const { return load >= block_; }

    /// Serves each of the partitions, a task each.
    template <class Serve>
    void for_each(const std::vector<Partition*>& partitions, std::size_t load, Phase phase, Round round,
                  const Serve& serve) {
        const auto serve_timed = [&](Partition& partition) {
            timed(
                phase, round, [&] { serve(partition); }, partition.index());
        };
        if (options_.order != nullptr) {
            std::vector<Partition*> in_order = partitions;
            rearrange(in_order, *options_.order);
            for (Partition* partition : in_order) serve_timed(*partition);
        } else if (!parallel_ || partitions.size() == 1 || !worth_threads(load)) {
            for (Partition* partition : partitions) serve_timed(*partition);
        } else {
            has_shared_ = true;
            for_index(partitions.size(), [&](std::size_t i) { serve_timed(*partitions[i]); });
        }
    }
    /// Calls body(i) for 0 <= i < count, a task each.
    template <class Body>
    void for_index(std::size_t count, const Body& body) const {
        if (parallel_ && count > 1)
            tbb::parallel_for(std::size_t{0}, count, body, tbb::simple_partitioner());
        else
            for (std::size_t i = 0; i < count; ++i) body(i);
    }

    /// Its times are recorded where phases are asked for (RunOptions::phases).
    template <class Serve>
    void timed(Phase phase, Round round, const Serve& serve, unsigned partition = 0) {
        clock_.timed(phase, round, partition, serve);
    }
    /// After the last one.
    void give_times() { clock_.give(); }
    /// How many threads have had something to do in some round.
    [[nodiscard]] unsigned threads() const { return has_shared_ ? options_.threads : 1; }

  private:
    const RunOptions& options_;
    NodeId block_;
    PhaseClock clock_;
    bool parallel_;
    bool has_shared_ = false;
};

}  // namespace kport
