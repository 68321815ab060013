/// @file derivation.hpp   A lower bound under construction: its arguments as exact integers, the binding one first.
#pragma once

#include <string>
#include <vector>

#include "algorithms/bounds/bounds.hpp"
#include "algorithms/bounds/counting.hpp"

namespace kport::bounds {

/// One argument, as in the public header, with its value still exact.
struct Reason {
    std::string name;
    Count value = 0;
    std::string why;
    std::string source;
};

/// The arguments for one quantity. Among equals the one added first binds.
class Arguments {
  public:
    void add(Reason reason);
    void add(std::vector<Reason> reasons);

    [[nodiscard]] bool empty() const { return reasons_.empty(); }
    /// Returns the largest value; 0 without arguments.
    [[nodiscard]] Count value() const { return reasons_.empty() ? 0 : reasons_.front().value; }
    /// Returns the arguments in descending order.
    [[nodiscard]] const std::vector<Reason>& reasons() const { return reasons_; }

  private:
    std::vector<Reason> reasons_;
};

/// The bounds of an operation: volume still in packets, the latency not yet composed.
struct Derivation {
    Arguments rounds;
    Arguments work;
    Arguments path_sum;
    Arguments packets;
    /// Whether messages of one round may differ in size (scatter, gather, ... with combining). On a wormhole machine
    /// the longest path and the largest bundle of a round may then belong to different messages, and their costs do not
    /// add up.
    bool bundles = false;
};

}  // namespace kport::bounds
