/// @file sabotage.hpp   Faults put into an engine while the programs run, so that the auditor can show that it sees them.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/base/dice.hpp"
#include "emulator/fault/fault.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {

/// Asked at every opportunity for its fault; it strikes at one of them, or at each with a probability, or counts them only.
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
    /// Whether the node is not told that a message has come.
    [[nodiscard]] bool loses_wake_up(const Topology& topology, NodeId v, Round round);
    /// Whether a bit changes of what the node has received. (The command line corrupts what is moved again instead: there
    /// it is the same bit whatever the engine.)
    [[nodiscard]] bool corrupts(const Topology& topology, NodeId v, Round round);

    [[nodiscard]] std::uint64_t opportunities() const { return opportunities_; }
    [[nodiscard]] const std::vector<Injected>& injected() const { return injected_; }

  private:
    Fault fault_;
    std::uint64_t strikes_at_ = 0;
    bool strikes_ = false;
    double probability_ = 0;
    Dice dice_{0};
    std::uint64_t opportunities_ = 0;
    std::vector<Injected> injected_;
};

}  // namespace kport
