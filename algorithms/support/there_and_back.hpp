/// @file there_and_back.hpp   Everything to a root along a timed tree, and everything back: allgather, allreduce,
///                            barrier.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/timed_tree.hpp"

namespace kport {

/// A timed tree's broadcast reversed in time, then the broadcast itself. The last round of the first and the first of
/// the second join the root and its first child: where these may send and receive at once, over a link that carries
/// both, the two rounds are one exchange, and the whole takes a round less.
class ThereAndBack {
  public:
    ThereAndBack(TimedTree tree, const Machine& machine) : tree_(std::move(tree)) {
        if (tree_.rounds() == 0 || machine.links == Duplex::half) return;
        const auto sends_beside_receive = [&](NodeId v) {
            return machine.duplex == Duplex::full || machine.ports_of(v) >= 2;
        };
        exchange_ = sends_beside_receive(tree_.root()) && sends_beside_receive(tree_.children(tree_.root()).front());
    }

    [[nodiscard]] const TimedTree& tree() const { return tree_; }
    [[nodiscard]] Round rounds() const { return 2 * tree_.rounds() - (exchange_ ? 1 : 0); }
    /// Return the rounds in which a node sends to its parent, and in which it receives from it.
    [[nodiscard]] Round up(NodeId v) const { return tree_.rounds() + 1 - tree_.served(v); }
    [[nodiscard]] Round down(NodeId v) const { return rounds() - tree_.rounds() + tree_.served(v); }
    /// Whether a node and its child send to each other in one round.
    [[nodiscard]] bool exchange(NodeId child) const { return exchange_ && tree_.served(child) == 1; }

  private:
    TimedTree tree_;
    bool exchange_ = false;
};

/// All-to-all broadcast: packets go up to the root, each node collecting those of its subtree; a child gets all but
/// those of its subtree.
[[nodiscard]] Program allgather_there_and_back(Node& self, const ThereAndBack& plan);
/// All-reduce: partial sums go up; the root and its first child exchange theirs; the result goes down.
[[nodiscard]] Program allreduce_there_and_back(Node& self, const ThereAndBack& plan);
/// Barrier: messages up and down name the nodes known to have entered.
[[nodiscard]] Program barrier_there_and_back(Node& self, const ThereAndBack& plan);

/// What the messages carry in both directions.
enum class CarriedThere : std::uint8_t {
    bundles,  ///< packets: up those of a subtree, down all others
    values,   ///< one each
    signals   ///< no packet
};
/// Returns all quantities, summed over the tree's links. O(N log N).
[[nodiscard]] ExpectedCost there_and_back_cost(const ThereAndBack& plan, const Machine& machine,
                                               const Collective& collective, CarriedThere carried);

/// What their rows in the catalogue share: the tree from a root, and the program that every node runs.
using TimedTreeOf = TimedTree (*)(const Topology&, NodeId root, const RankedNodes* members);
using ProgramThereAndBack = Program (*)(Node&, const ThereAndBack&);

[[nodiscard]] inline ThereAndBack plan_there_and_back(TimedTreeOf tree_of, const Machine& machine,
                                                      const Collective& collective) {
    return {tree_of(*machine.topology, collective.root, collective.members.get()), machine};
}

template <TimedTreeOf tree_of, ProgramThereAndBack program>
Start start_there_and_back(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto plan = std::make_shared<const ThereAndBack>(plan_there_and_back(tree_of, machine, collective));
    return {.program = [topology = machine.topology, plan](Node& self) { return program(self, *plan); },
            .all_start = true};
}

template <TimedTreeOf tree_of, CarriedThere carried>
ExpectedCost expect_there_and_back(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return there_and_back_cost(plan_there_and_back(tree_of, machine, collective), machine, collective, carried);
}

/// For the shortest-path tree, and for paths of a spanning tree.
[[nodiscard]] std::optional<std::string> misfit_tree_exchange(const Machine& machine, const Collective& collective,
                                                              const AlgorithmOptions& options);
[[nodiscard]] std::optional<std::string> misfit_euler_rda(const Machine& machine, const Collective& collective,
                                                          const AlgorithmOptions& options);

}  // namespace kport
