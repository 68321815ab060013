/// @file task.hpp   What a cell of a bench measures: an operation on a machine, by an algorithm, on an engine.
#pragma once

#include <string>
#include <string_view>

#include "app/session/experiment.hpp"

namespace kport::measure {

struct Task {
    Experiment experiment;
    const Algorithm* algorithm = nullptr;
    bool replay = false;  ///< no engine: the schedule of a run in lockstep moves the bytes

    /// "lockstep", "free", "replay".
    [[nodiscard]] std::string_view moved_by() const { return replay ? "replay" : kport::name(experiment.engine); }

    [[nodiscard]] const Topology& topology() const { return experiment.topology(); }
    /// "broadcast/sbt/hypercube:10/1-port/8/lockstep/threads:2"; what differs from a plain machine stands after the ports.
    [[nodiscard]] std::string name() const;
};

/// The bytes that all nodes hold together at the end, or at the start if that is more; a double, because what is asked
/// for may be absurd.
[[nodiscard]] double bytes_held(const Task& task);

}  // namespace kport::measure
