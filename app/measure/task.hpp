/// @file task.hpp   What a cell of a bench measures: an operation on a machine, by an algorithm, on an engine.
#pragma once

#include <string>
#include <string_view>

#include "app/session/experiment.hpp"

namespace kport::measure {

struct Task {
    Experiment experiment;
    const Algorithm* algorithm = nullptr;
    bool replay = false;  ///< no engine: moves the bytes of a schedule recorded in lockstep

    /// Returns "lockstep", "free", "replay".
    [[nodiscard]] std::string_view moved_by() const { return replay ? "replay" : kport::name(experiment.engine); }

    [[nodiscard]] const Topology& topology() const { return experiment.topology(); }
    /// Returns "broadcast/sbt/hypercube:10/1-port/8/lockstep/threads:2"; differences from a plain machine follow the
    /// ports.
    [[nodiscard]] std::string name() const;
};

/// Returns the bytes that all nodes hold together at the end, or at the start if that is more; a double, because a
/// request may be absurdly large.
[[nodiscard]] double bytes_held(const Task& task);

}  // namespace kport::measure
