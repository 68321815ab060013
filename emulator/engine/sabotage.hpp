/// @file sabotage.hpp   Faults injected into an engine while the programs run, to test the auditor.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/audit/violation.hpp"
#include "emulator/base/random.hpp"
#include "emulator/fault/fault.hpp"
#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

struct BrokenParts;  // emulator/topology/broken.hpp

/// Called at every opportunity for its fault; injects it at one of them, at each with a probability, or only counts them.
///
/// Callers   one thread: a run with sabotage has one.
class Sabotage {
  public:
    /// Counts the opportunities.
    explicit Sabotage(Fault fault) : fault_(fault) {}
    /// Strikes at the n-th opportunity, from 0.
    Sabotage(Fault fault, std::uint64_t n) : fault_(fault), strikes_at_(n), strikes_(true) {}
    /// Strikes at every opportunity with the probability.
    Sabotage(Fault fault, double probability, std::uint64_t seed)
        : fault_(fault), strikes_(true), probability_(probability), dice_(seed) {}
    /// Strikes at these messages, and notes nothing: they were chosen by the caller.
    using Messages = std::set<std::tuple<Round, NodeId, NodeId>>;  ///< round, sender, receiver
    Sabotage(Fault fault, Messages messages) : fault_(fault), messages_(std::move(messages)) {}
    /// Loses every message that crosses one of these parts, which must outlive it. Needs no opportunity, and notes nothing.
    explicit Sabotage(const BrokenParts& broken) : fault_(Fault::drop), broken_(&broken) {}

    [[nodiscard]] Fault fault() const { return fault_; }
    /// An opportunity; true: here.
    [[nodiscard]] bool strikes() {
        const std::uint64_t n = opportunities_++;
        return strikes_ && (probability_ > 0 ? dice_.happens(probability_) : n == strikes_at_);
    }
    void note(Injected injected) {
        injected.fault = fault_;
        if (probability_ > 0) injected.certain = false;
        injected_.push_back(std::move(injected));
    }
    /// True if the fault loses this wake-up of the node.
    [[nodiscard]] bool loses_wake_up(const Topology& topology, NodeId v, Round round);
    /// True if the bytes that node v receives of `from` are to change, or to be lost.
    [[nodiscard]] bool harms(const Topology& topology, NodeId v, NodeId from, Round round);

    /// Returns why a message that leaves a node by this route is lost, without its packet; nothing if it is not.
    [[nodiscard]] std::optional<Violation> loss(const Topology& topology, Round round, NodeId from,
                                                std::span<const Port> route) const;

    [[nodiscard]] std::uint64_t opportunities() const { return opportunities_; }
    [[nodiscard]] const std::vector<Injected>& injected() const { return injected_; }

  private:
    Fault fault_;
    std::uint64_t strikes_at_ = 0;
    bool strikes_ = false;
    double probability_ = 0;
    Dice dice_{0};
    Messages messages_;
    const BrokenParts* broken_ = nullptr;
    std::uint64_t opportunities_ = 0;
    std::vector<Injected> injected_;
};

}  // namespace kport
