/// @file exchange_run.hpp   A lockstep run of an exchange or a relay (node/exchange.hpp, node/exchange.hpp) that keeps only values.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "emulator/base/huge_array.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/node/exchange.hpp"
#include "emulator/node/reduction.hpp"

namespace kport {

/// The values of all nodes: what each sends in this round and in the next one, and its result if that is kept apart. Step i is round
/// i + 1. Serves runs in which values are intact and fold with their neighbours in order; anything else must be run by programs.
///
/// Callers   a node's values are written by the task of its partition.
class ExchangeRun {
  public:
    /// Null where nothing moves, where links do not lead to the ports that receive, or where the plan throws. O(1) on hypercubes, else
    /// O(N).
    /// Requires  choose_execution() has chosen `exchange` or `relay` for the job.
    [[nodiscard]] static std::unique_ptr<ExchangeRun> of(const Job& job);

    explicit ExchangeRun(const Job& job);

    const ValueExchange& plan;
    const SegmentRelay* const relay;  ///< null: an exchange
    const unsigned steps;
    const unsigned folding_steps;
    const bool keeps_results_apart;  ///< in a scan

    /// The ports of a step < `steps`. Throws as the plan, and where the link of some node by the one is not there, or does not come in
    /// by the other. Thread-safe. O(1) on hypercubes; else O(N) for ports that no step before had.
    [[nodiscard]] ValueExchange::Ports ports(unsigned step);

    /// What nodes send in a step; after the last one what they would send next.
    [[nodiscard]] HugeArray<Element>& sent_in(unsigned step) { return sent_[step % 2]; }
    /// The results of an exchange.
    [[nodiscard]] HugeArray<Element>& results() { return keeps_results_apart ? results_ : sent_in(steps); }
    /// In a relay, the sum of the checksums of the results that a node keeps; these are in a body (Stage::results).
    [[nodiscard]] Seal& seals_of_results(NodeId v) { return seals_of_results_[v]; }
    [[nodiscard]] bool keeps_all_results() const { return relay != nullptr && folding_steps < steps; }

    /// Bytes of a node, beside its slot and its audit.
    static constexpr std::uint64_t bytes_per_node = 3 * sizeof(Element);

  private:
    const Topology& topology_;
    std::mutex looking_;
    std::vector<ValueExchange::Ports> known_;  ///< ports whose links lead to each other
    HugeArray<Element> sent_[2];
    HugeArray<Element> results_;
    HugeArray<Seal> seals_of_results_;
};

}  // namespace kport
