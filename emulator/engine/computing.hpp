/// @file computing.hpp   A node program that computes for seconds without waiting.
#pragma once

#include <functional>
#include <string>

#include "emulator/base/types.hpp"
#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// A node program that computes and has not waited in a `co_await` since.
struct Computing {
    NodeId node;
    Round round;
    double seconds;
    bool stopping;  ///< the run is to stop (RunOptions::stop), which it cannot before the program waits
};
/// "round 3: node 5 has been computing for 5 s without co_await".
[[nodiscard]] std::string text(const Computing& computing, const Topology& topology);

/// Called by the watching thread. What it throws is thrown by the run, at its end.
using ComputingFunction = std::function<void(const Computing&)>;

}  // namespace kport
