/// @file switched.hpp   Algorithms of the complete graph on machines whose hosts are all linked to all switches.
#pragma once

#include <memory>

#include "algorithms/catalogue.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Whether nodes follow a record of the algorithm's messages among the hosts, each with a switch of its own in its round
/// (parallel_switches()): algorithms without a plan that move packets by several ports, on machines of up to 512 hosts.
[[nodiscard]] bool is_switched(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                               const AlgorithmOptions& options);

/// Returns that record. Requires is_switched(). Runs the program without bytes on the complete graph.
[[nodiscard]] std::shared_ptr<const Schedule> switched_schedule(const Algorithm& algorithm, const Machine& asked,
                                                                const Collective& collective,
                                                                const AlgorithmOptions& options);

}  // namespace kport
