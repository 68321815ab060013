/// @file switched.hpp   Algorithms of the complete graph on machines whose hosts are all linked to all switches.
#pragma once

#include <memory>

#include "algorithms/catalogue.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Whether the messages of an algorithm's round are given switches, so that none meets another (parallel_switches()): algorithms without
/// a plan that move by several ports, on machines of up to 512 hosts.
[[nodiscard]] bool is_switched(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                               const AlgorithmOptions& options);

/// Returns the routes through them. Requires is_switched(). Runs the program without bytes on the complete graph.
[[nodiscard]] std::shared_ptr<const RouteBook> routes_by_switches(const Algorithm& algorithm, const Machine& asked,
                                                                  const Collective& collective,
                                                                  const AlgorithmOptions& options);

}  // namespace kport
