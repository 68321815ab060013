/// @file derivation.hpp   Lower bounds under construction: their arguments as exact integers, the binding one first.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
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
    void add(Reason reason) {
        const auto smaller = [](const Reason& a, const Reason& b) { return a.value > b.value; };
        reasons_.insert(std::upper_bound(reasons_.begin(), reasons_.end(), reason, smaller), std::move(reason));
    }
    void add(std::vector<Reason> reasons) {
        for (Reason& reason : reasons) add(std::move(reason));
    }

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

struct Facts;

// The lower bounds of each operation, from the shared arguments and its own. N >= 2 throughout.

/// Broadcast and, reversed in time, reduce (Lemma 1).
[[nodiscard]] Derivation derive_broadcast(const Facts& facts);
/// Scatter and, reversed in time, gather (Lemma 7, with its noncombining form).
[[nodiscard]] Derivation derive_scatter(const Facts& facts);
/// Allreduce and scan: every contribution must reach other nodes, and messages have constant size.
[[nodiscard]] Derivation derive_allreduce(const Facts& facts);
[[nodiscard]] Derivation derive_scan(const Facts& facts);
/// All-to-all broadcast and all-to-all personalized exchange.
[[nodiscard]] Derivation derive_allgather(const Facts& facts);
[[nodiscard]] Derivation derive_alltoall(const Facts& facts);
[[nodiscard]] Derivation derive_barrier(const Facts& facts);
[[nodiscard]] Derivation derive_permutation(const Facts& facts);
/// Any operation where the counts of packets differ, from its promise alone.
[[nodiscard]] Derivation derive_counts(const Facts& facts);
/// A collective of one's own, from its promise alone; nothing is found where it has more than 2^22 packets, each counted at each node.
[[nodiscard]] Derivation derive_promise(const Facts& facts);
/// Operations in which some nodes only pass on what comes (Collective::members).
[[nodiscard]] Derivation derive_members(const Facts& facts);
/// Whether derive_members() knows the operation where all members have as many packets.
[[nodiscard]] bool knows_members(const Operation& operation);
/// One packet that some nodes own or want: the links that its messages cross join these nodes. `nodes`: from 2 on.
[[nodiscard]] Reason steiner_work(const Facts& facts, const std::vector<NodeId>& nodes);
/// Something that all hosts of a fabric want reaches them by messages that join them all.
[[nodiscard]] Reason tree_of_hosts(const Facts& facts);
/// Operations among neighbours.
[[nodiscard]] Derivation derive_neighbours(const Facts& facts);

}  // namespace kport::bounds
