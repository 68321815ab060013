/// @file exchange_run.hpp   A lockstep run of an exchange or a relay (node/exchange.hpp, node/relay.hpp): the values of its nodes,
///                          and no programs.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "emulator/base/huge_array.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/node/exchange.hpp"
#include "emulator/node/reduction.hpp"
#include "emulator/node/relay.hpp"

namespace kport {

/// What the nodes of an exchange keep: what each sends next, for this round and for the next one, and its result if that is kept
/// apart. In step i, which is round i + 1, a node has the value that came once its sender's of this round has been read.
///
/// It serves runs in which each step takes a round and nothing shows but what the auditor finds: values that are what was sealed
/// are folded with their neighbours, in order. As soon as anything else would happen the run is left, and is begun anew with
/// programs (run_lockstep()).
///
/// Callers   a node's values are written by the task of its partition.
class ExchangeRun {
  public:
    /// Null where links do not lead where the text receives, or the text throws. O(1) on hypercubes, else O(N).
    /// Requires  choose_execution() has chosen `exchange` or `relay` for the job.
    [[nodiscard]] static std::unique_ptr<ExchangeRun> of(const Job& job);

    ExchangeRun(const ExchangeProgram& the_exchange, const Topology& topology);
    ExchangeRun(const RelayProgram& the_relay, const Topology& topology);

    const ExchangeProgram* const exchange;  ///< null: it is a relay
    const RelayProgram* const relay;        ///< null: it is an exchange
    const unsigned steps;
    const unsigned folding_steps;
    const bool keeps_results_apart;

    /// The ports of a step < `steps`. Nothing, and the run is left, where some node's link by the one is not there, or does not come
    /// in by the other. Thread-safe. O(1) on hypercubes; else O(N) for ports that no step before had.
    [[nodiscard]] std::optional<SegmentRelay::Ports> ports(unsigned step);

    /// What nodes send in a step; after the last one what they would send next.
    [[nodiscard]] HugeArray<Element>& sent_in(unsigned step) { return sent_[step % 2]; }
    /// What the nodes of an exchange give.
    [[nodiscard]] HugeArray<Element>& results() { return keeps_results_apart ? results_ : sent_in(steps); }
    /// Of a relay: the sum of the seals of the results that a node keeps, which stand in a body (Stage::results).
    [[nodiscard]] Seal& seals_of_results(NodeId v) { return seals_of_results_[v]; }
    [[nodiscard]] bool keeps_all_results() const { return relay != nullptr && folding_steps < steps; }

    /// Whether the exchange has been left. Between the phases of a round.
    [[nodiscard]] bool is_left() const { return is_left_.load(std::memory_order_relaxed); }
    void leave() { is_left_.store(true, std::memory_order_relaxed); }

    /// Of a node, beside its slot and its audit: its values.
    static constexpr std::uint64_t bytes_per_node = 3 * sizeof(Element);

  private:
    [[nodiscard]] bool lead_on(const SegmentRelay::Ports& ports);

    const Topology& topology_;
    std::mutex looking_;
    std::vector<SegmentRelay::Ports> known_;  ///< that lead on
    HugeArray<Element> sent_[2];
    HugeArray<Element> results_;
    HugeArray<Seal> seals_of_results_;
    std::atomic<bool> is_left_ = false;
};

}  // namespace kport
