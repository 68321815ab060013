/// @file conclusion.hpp   The end of a lockstep run: what its nodes hold is compared, and the result put together.
#pragma once

#include <string>
#include <vector>

#include "emulator/engine/all_ranks.hpp"
#include "emulator/engine/crew.hpp"
#include "emulator/engine/partition.hpp"
#include "emulator/engine/results.hpp"
#include "emulator/engine/world.hpp"

namespace kport {

/// Of several ranks each looks at its own nodes; all have the same result.
///
/// Callers   one task, after the last round; once.
/// Cost      O(own nodes) and what they hold, on all threads; results are folded by each rank.
class Conclusion {
  public:
    /// All outlive it.
    Conclusion(const RunOptions& options, World& world, AllRanks& ranks, const Partition::Partitions& partitions,
               Crew& crew)
        : options_(options), world_(world), ranks_(ranks), partitions_(partitions), crew_(crew) {}

    /// Verdict, results, and what else the options ask for. `stopped`: nothing is compared, and no waiting node is reported.
    [[nodiscard]] RunResult result(bool stopped);

  private:
    void compare_payload();
    /// Writes them down in `book` besides, if given.
    [[nodiscard]] std::vector<ShownResult> results_here(AgreementBook* book) const;
    void verify_all_results(RunResult& result);
    void hand_over_asked();
    void gather_phases();

    const RunOptions& options_;
    World& world_;
    AllRanks& ranks_;
    const Partition::Partitions& partitions_;
    Crew& crew_;
};

}  // namespace kport
