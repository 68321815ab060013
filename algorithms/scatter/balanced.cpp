/// @file balanced.cpp   Scatter of single packets down the balanced spanning tree of the hypercube (model.md section 5.5).
#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// The words of n bits as nodes of the tree with root 0.
class BalancedTree {
  public:
    explicit BalancedTree(int n) : n_(n), ones_((NodeId{1} << n) - 1) {}

    /// Returns the branch of a word other than 0: how many right rotations give its least rotation.
    [[nodiscard]] int branch(NodeId x) const {
        int best = 0;
        for (int turns = 1; turns < n_; ++turns)
            if (right(x, turns) < right(x, best)) best = turns;
        return best;
    }
    /// Returns the dimension between a word and its parent: the highest bit of its least rotation, rotated back.
    [[nodiscard]] int to_parent(NodeId x) const {
        const int turns = branch(x);
        const int highest = static_cast<int>(std::bit_width(right(x, turns))) - 1;
        return (highest + turns) % n_;
    }
    /// Returns the first dimension on the path from a word down to one below it.
    [[nodiscard]] int towards(NodeId from, NodeId x) const {
        for (;;) {
            const int d = to_parent(x);
            x ^= NodeId{1} << d;
            if (x == from) return d;
        }
    }

  private:
    [[nodiscard]] NodeId right(NodeId x, int turns) const {
        return turns == 0 ? x : ((x >> turns) | (x << (n_ - turns))) & ones_;
    }

    int n_;
    NodeId ones_;
};

/// Returns the words in the order in which the root sends their packets: in every round the next of each branch, within
/// a branch those with the most bits first.
std::vector<std::uint32_t> order_of_words(int n) {
    const BalancedTree tree(n);
    std::vector<std::vector<std::uint32_t>> branches(static_cast<std::size_t>(n));
    for (NodeId x = 1; x < NodeId{1} << n; ++x)
        branches[static_cast<std::size_t>(tree.branch(x))].push_back(static_cast<std::uint32_t>(x));
    for (std::vector<std::uint32_t>& branch : branches)
        std::ranges::stable_sort(branch, std::ranges::greater(), [](std::uint32_t x) { return std::popcount(x); });
    std::vector<std::uint32_t> order;
    for (std::size_t turn = 0; order.size() + 1 < NodeId{1} << n; ++turn)
        for (const std::vector<std::uint32_t>& branch : branches)
            if (turn < branch.size()) order.push_back(branch[turn]);
    return order;
}

/// One-to-all scatter of single packets down the balanced spanning tree.
///
/// Machine   hypercube of 2^n nodes, store-and-forward or wormhole, all ports, full duplex. Combining or not
/// Gives     every node holds its own packet
/// Costs     rounds and volume the binary necklaces of length n, less 1; work n 2^(n-1)
/// Idea      A binomial tree has half of all nodes in one branch. Here a branch has at most one word of each class under
///           rotation. In all branches at once the packets go one behind the other, the farthest first.
/// Source    Ho, Johnsson 1986, 1989; model.md section 5.5
Program scatter_down_balanced(Node& self, const std::vector<std::uint32_t>& order, const Parcels& parcels,
                              NodeId root) {
    const BalancedTree tree(static_cast<int>(self.degree()));
    const NodeId me = self.id() ^ root;
    const auto port_to = [&](NodeId word) { return Hypercube::port(tree.towards(me, word)); };
    if (me == 0) {
        for (const NodeId word : order) co_await self.pass(port_to(word), parcels.message(word ^ root, 0));
        co_return;
    }
    for (;;) {
        const Arrival arrival = co_await self.receive();
        const NodeId v = arrival.packets().blocks().front().first;
        if (v == self.id()) break;  // its own comes last
        co_await self.pass(port_to(v ^ root), parcels.message(v, 0));
    }
}

std::optional<std::string> misfit_scatter_balanced(const Machine& machine, const Collective&,
                                                   const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), needs_all_ports(machine), needs_full_duplex(machine),
                     needs_partners(machine), needs_table(machine), takes_no_options(options)});
}

Start make_scatter_balanced(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId root = collective.root;
    const auto order =
        std::make_shared<std::vector<std::uint32_t>>(order_of_words(as_hypercube(machine)->dimensions()));
    return {[order, root, parcels = Parcels(machine, collective)](Node& self) {
                return scatter_down_balanced(self, *order, parcels, root);
            },
            {root}};
}

/// Counts the classes of words of n bits under rotation: the rotation by i fixes 2^gcd(n, i) words (Burnside).
std::uint64_t necklaces(unsigned n) {
    if (n == 0) return 1;
    std::uint64_t fixed = 0;
    for (unsigned i = 0; i < n; ++i) fixed += std::uint64_t{1} << std::gcd(n, i);
    return fixed / n;
}

ExpectedCost expect_scatter_balanced(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto n = static_cast<unsigned>(as_hypercube(machine)->dimensions());
    const std::uint64_t rounds = necklaces(n) - 1;
    const std::uint64_t hops = machine.topology->sum_of_distances(collective.root);
    return {rounds,
            hops,
            rounds,
            rounds,
            {fmt::format("branch 0 has one word of each class under rotation but that of 0, no other has more: {} "
                         "necklaces - 1 = {}",
                         rounds + 1, counted(rounds, "packet")),
             fmt::format("one packet a round into each branch, the nearest last: {}, volume {}",
                         counted(rounds, "round"), counted(rounds, "packet")),
             fmt::format("each goes a shortest way: the distances add up to n 2^(n-1) = {}", counted(hops, "hop"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_scatter_balanced() {
    return with_reversal(
        {
            .operation = Operation::scatter,
            .name = "balanced",
            .rule =
                "single packets one behind the other down the balanced spanning tree, into all its branches at once",
            .needs = "hypercube, SF or WH, all ports, full duplex, not pairwise",
            .cost = "binary necklaces of length n less 1: about 2^n/n rounds; work n 2^(n-1)",
            .source = "Ho, Johnsson 1989; model section 5.5",
            .misfit = misfit_scatter_balanced,
            .make = make_scatter_balanced,
            .expect = expect_scatter_balanced,
            .table_bytes_per_node = 8,
            .single_links = true,
            .single_packets = true,
            .port_use = PortUse::sends,
        },
        Operation::gather);
}

}  // namespace kport
