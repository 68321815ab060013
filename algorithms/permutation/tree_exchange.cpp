/// @file tree_exchange.cpp   Permutations along a tree to a root and back, on graphs of any size.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/there_and_back.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// The tree's rounds, the subtree of each node, and how many nodes' packets cross each link up and down.
class PermutationTree {
  public:
    PermutationTree(const Machine& machine, const Collective& collective)
        : plan_(TimedTree::farthest_first(*machine.topology, collective.root), machine),
          permutation_(collective.permutation), nodes_(machine.topology->nodes()), place_(nodes_), size_(nodes_, 1),
          up_(nodes_), down_(nodes_), moved_(plan_.rounds() + 1) {
        const TimedTree& tree = plan_.tree();
        const std::vector<std::uint32_t> in_order = tree.in_order();
        for (std::size_t i = in_order.size(); i-- > 1;) size_[tree.parent(in_order[i])] += size_[in_order[i]];
        for (const std::uint32_t v : in_order) {
            std::uint32_t next = place_[v] + 1;
            for (const std::uint32_t child : tree.children(v)) {
                place_[child] = next;
                next += size_[child];
            }
        }
        for (NodeId v = 0; v < nodes_; ++v) {
            const NodeId target = permutation_.target(v, nodes_);
            for (NodeId at = v; !has(at, target); at = tree.parent(at)) ++up_[at];
            for (NodeId at = target; !has(at, v); at = tree.parent(at)) ++down_[at];
        }
        for (NodeId v = 0; v < nodes_; ++v) {
            if (v == tree.root()) continue;
            if (up_[v] > 0) moved_[plan_.up(v)] = 1;
            if (down_[v] > 0) moved_[plan_.down(v)] = 1;
        }
        // A step in which nothing moves takes no round.
        std::partial_sum(moved_.begin(), moved_.end(), moved_.begin());
    }

    [[nodiscard]] const TimedTree& tree() const { return plan_.tree(); }
    [[nodiscard]] Round rounds() const { return moved_.back(); }
    /// Return the rounds in which a node sends to its parent, and in which it receives from it, where packets cross.
    [[nodiscard]] Round round_up(NodeId v) const { return moved_[plan_.up(v)]; }
    [[nodiscard]] Round round_down(NodeId v) const { return moved_[plan_.down(v)]; }
    /// Whether a child sends up in the very round in which it gets what comes down, if it does.
    [[nodiscard]] bool exchange(NodeId child) const { return plan_.exchange(child); }
    /// Whether the packets of a node go to a node in the subtree of another.
    [[nodiscard]] bool has_target_in(NodeId subtree, NodeId v) const {
        return has(subtree, permutation_.target(v, nodes_));
    }
    /// Returns how many nodes' packets a node sends its parent; down(): how many it gets from there.
    [[nodiscard]] std::uint32_t up(NodeId v) const { return up_[v]; }
    [[nodiscard]] std::uint32_t down(NodeId v) const { return down_[v]; }

    static constexpr std::uint64_t bytes_per_node = TimedTree::bytes_per_node + 24;

  private:
    [[nodiscard]] bool has(NodeId subtree, NodeId v) const {
        return place_[subtree] <= place_[v] && place_[v] - place_[subtree] < size_[subtree];
    }

    ThereAndBack plan_;
    Permutation permutation_;
    NodeId nodes_;
    std::vector<std::uint32_t> place_;  ///< index in a preorder
    std::vector<std::uint32_t> size_;   ///< of the subtree
    std::vector<std::uint32_t> up_;
    std::vector<std::uint32_t> down_;
    std::vector<Round> moved_;  ///< in how many steps of the plan up to one something moves
};

/// The packets at a node that are not at their target yet, by owner.
class Passing {
  public:
    explicit Passing(const Node& self) : packets_each_(self.collective().packets_each) { take(self.id()); }

    void take(const Arrival& arrival) {
        const PacketSet owners = columns_of(arrival.packets().blocks());
        for (const PacketBlock& block : owners.blocks())
            for (std::uint32_t i = 0; i < block.count; ++i) take(block.columns()[i]);
    }
    /// Removes and returns the packets of the chosen owners.
    template <class IsChosen>
    [[nodiscard]] PacketSet leaving(const IsChosen& is_chosen) {
        const auto stays = [&](NodeId owner) { return !is_chosen(owner); };
        const auto chosen = std::ranges::stable_partition(owners_, stays);
        std::ranges::sort(chosen);
        PacketSet owners;
        for (const std::uint32_t owner : chosen) owners.add(PacketBlock{owner});
        owners_.erase(chosen.begin(), chosen.end());
        return packets_of(owners, packets_each_);
    }

  private:
    void take(NodeId owner) { owners_.push_back(static_cast<std::uint32_t>(owner)); }

    std::uint64_t packets_each_;
    std::vector<std::uint32_t> owners_;
};

/// Permutation along a tree.
///
/// Machine   any graph, store-and-forward or wormhole, any k, any duplex, pairwise or not, combining
/// Gives     every node holds the packets for it
/// Costs     at most the rounds of allgather tree-exchange, 2 b - 1; work 2 for each link that packets cross; 1 where they go one way
/// Idea      Packets go up the shortest-path tree to the lowest node that has their target in its subtree, then down. Links
///           that none needs stay silent, and steps in which nothing moves take no round.
/// Source    as allgather tree-exchange, restricted to the packets that must cross a link
Program permute_there_and_back(Node& self, const PermutationTree& permuted) {
    const NodeId me = self.id();
    const NodeId parent = permuted.tree().parent(me);
    const auto children = permuted.tree().children(me);
    Passing passing(self);
    for (std::size_t i = children.size(); i-- > 0;) {
        if (permuted.exchange(children[i]) || permuted.up(children[i]) == 0) continue;
        const Arrival arrival = co_await self.receive_from(children[i]);
        passing.take(arrival);
    }
    if (permuted.up(me) > 0) {
        const PacketSet up = passing.leaving([&](NodeId owner) { return !permuted.has_target_in(me, owner); });
        co_await self.until(permuted.round_up(me));
        co_await self.pass_to(parent, up);
    }
    if (permuted.down(me) > 0) {
        const Arrival arrival = co_await self.receive_from(parent);
        passing.take(arrival);
    }
    for (const NodeId child : children) {
        if (permuted.down(child) > 0) {
            const PacketSet down = passing.leaving([&](NodeId owner) { return permuted.has_target_in(child, owner); });
            co_await self.until(permuted.round_down(child));
            co_await self.pass_to(child, down);
        }
        if (!permuted.exchange(child) || permuted.up(child) == 0) continue;
        const Arrival arrival = co_await self.receive_from(child);
        passing.take(arrival);
    }
}

std::optional<std::string> misfit_permutation_tree_exchange(const Machine& machine, const Collective&,
                                                            const AlgorithmOptions& options) {
    return first_of({needs_combining(machine), needs_table(machine), takes_no_options(options)});
}

Start make_permutation_tree_exchange(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto permuted = std::make_shared<const PermutationTree>(machine, collective);
    return {[topology = machine.topology, permuted](Node& self) { return permute_there_and_back(self, *permuted); },
            {},
            true};
}

ExpectedCost expect_permutation_tree_exchange(const Machine& machine, const Collective& collective,
                                              const AlgorithmOptions&) {
    const PermutationTree permuted(machine, collective);
    std::vector<std::uint64_t> largest(permuted.rounds() + 1);
    std::uint64_t links = 0;
    std::uint64_t messages = 0;
    const auto cross = [&](std::uint64_t packets, Round round) {
        if (packets == 0) return;
        ++messages;
        largest[round] = std::max(largest[round], packets);
    };
    for (NodeId v = 0; v < machine.topology->nodes(); ++v) {
        if (v == permuted.tree().root()) continue;
        links += permuted.up(v) + permuted.down(v) > 0 ? 1 : 0;
        cross(permuted.up(v), permuted.round_up(v));
        cross(permuted.down(v), permuted.round_down(v));
    }
    std::uint64_t volume = 0;
    double latency = 0;
    for (Round round = 1; round < largest.size(); ++round) {
        volume += largest[round];
        latency += machine.costs.latency(1, largest[round] * collective.packet_bytes);
    }
    return {permuted.rounds(),
            messages,
            permuted.rounds(),
            volume,
            {fmt::format("to the root and back; steps in which something moves: {}", permuted.rounds()),
             fmt::format("packets cross {} of the tree, in a message each way: work {}, volume {}",
                         counted(links, "link"), messages, counted(volume, "packet"))},
            latency};
}

}  // namespace

std::vector<Algorithm> algorithms_in_permutation_tree_exchange() {
    return {{
        .operation = Operation::permutation,
        .name = "tree-exchange",
        .rule =
            "packets go up the shortest-path tree to the lowest node above both ends of their way, then down; the root "
            "and its first child exchange",
        .needs = "any graph, SF or WH, any k, combining; --source is the root",
        .cost =
            "at most the rounds of allgather tree-exchange; work 2, or 1, for each link of the tree that packets cross",
        .source = "as allgather tree-exchange",
        .misfit = misfit_permutation_tree_exchange,
        .make = make_permutation_tree_exchange,
        .expect = expect_permutation_tree_exchange,
        .table_bytes_per_node = PermutationTree::bytes_per_node,
        .single_links = true,
        .through_root = true,
    }};
}

}  // namespace kport
