/// @file movement_writer.hpp   Writes the movements of a plan, step by step.
#pragma once

#include <algorithm>

#include "emulator/engine/movement_plan.hpp"

namespace kport {

/// Merges neighbouring movements as they are written, and cuts long ones.
///
/// Callers   one task.
class MovementWriter {
  public:
    MovementWriter(MovementPlan& plan, std::uint32_t count_max) : plan_(plan), count_max_(count_max) {}

    void add(Movement movement) {
        packets_ += movement.count;
        while (movement.count > 0) {
            if (open_ < plan_.movements.size() && follows(plan_.movements.back(), movement)) {
                Movement& last = plan_.movements.back();
                take(last, movement, std::min(count_max_ - last.count, movement.count));
                continue;
            }
            plan_.movements.push_back(movement);
            plan_.movements.back().count = 0;
        }
    }

    void end_step() {
        if (open_ == plan_.movements.size()) return;
        open_ = plan_.movements.size();
        plan_.steps.push_back({open_, packets_});
        packets_ = 0;
    }

  private:
    [[nodiscard]] bool follows(const Movement& last, const Movement& next) const {
        return last.count < count_max_ && last.folds() == next.folds() && last.to + last.count == next.to &&
               last.from + last.count == next.from && (!last.folds() || last.with + last.count == next.with);
    }
    /// Moves `count` packets from the front of `next` to the end of `last`.
    static void take(Movement& last, Movement& next, std::uint32_t count) {
        last.count += count;
        next.to += count;
        next.from += count;
        if (next.folds()) next.with += count;
        next.count -= count;
    }

    MovementPlan& plan_;
    std::uint32_t count_max_;
    std::size_t open_ = 0;  ///< the first movement of the current step
    std::uint64_t packets_ = 0;
};

}  // namespace kport
