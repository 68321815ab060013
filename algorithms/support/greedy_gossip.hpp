/// @file greedy_gossip.hpp   Gossips planned for any graph: in each round the messages that bring the most.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "algorithms/catalogue.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// The shortest of some greedy gossips (planning/gossip.hpp), as a schedule of an all-to-all broadcast or scatter, a barrier, an
/// all-reduce or a scan; of a reduce-scatter that of the allgather which it reverses.
///
/// Cost   O(tries rounds channels N / 64), some hundredths of a second in all; for an all-to-all scatter O(N^3 / 64) more
[[nodiscard]] std::shared_ptr<const Schedule> planned_gossip(const Machine& machine, const Collective& collective);

/// Returns the size of the plan without planning: an upper bound where the gossip takes as many rounds as a fan-out and the diameter.
[[nodiscard]] PlanSize size_of_gossip(const Machine& machine, const Collective& collective);

[[nodiscard]] std::optional<std::string> misfit_gossip(const Machine& machine, const Collective& collective,
                                                       const AlgorithmOptions& options);
[[nodiscard]] Start make_gossip(const Machine& machine, const Collective& collective, const AlgorithmOptions& options);
/// Counted where the plan is small.
[[nodiscard]] ExpectedCost expect_gossip(const Machine& machine, const Collective& collective,
                                         const AlgorithmOptions& options);

}  // namespace kport
