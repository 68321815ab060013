/// @file two_tree.cpp   Broadcast of M packets down two trees at once (model.md section 13.2).
#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/disjoint_trees.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/timetable.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

/// The positions 1 .. m in two binary trees: tree 1 is tree 0 mirrored or shifted by one, so that the inner nodes of
/// one are leaves of the other; the source, position 0, feeds both roots. Every arc has a colour, 0 or 1, and carries a
/// packet in every second round: arcs with a common head differ, and so do arcs with a common tail.
///
/// Memory    a byte a node: the colour of its arc in tree 0; tree 1 has the other colour.
class TwoTrees {
  public:
    TwoTrees(NodeId nodes, const Collective& collective)
        : m_(nodes - 1), source_(collective.root), packets_(collective.packets_each), colour_(nodes, unknown) {
        if (m_ > 0) colour_all();
    }

    /// Packets first, first + 1, ... come over it in every second round.
    struct Link {
        NodeId peer;
        Round begin;
        PacketId first;
        std::uint64_t count;
        [[nodiscard]] std::optional<PacketId> packet(Round round) const {
            if (round < begin || (round - begin) % 2 != 0 || (round - begin) / 2 >= count) return std::nullopt;
            return first + (round - begin) / 2;
        }
        [[nodiscard]] Round first_round() const { return begin; }
        [[nodiscard]] Round last_round() const { return count == 0 ? 0 : static_cast<Round>(begin + 2 * (count - 1)); }
    };
    [[nodiscard]] LinksOfNode<Link> at(NodeId v) const {
        LinksOfNode<Link> links;
        const NodeId x = (v + nodes() - source_) % nodes();
        for (const int tree : {0, 1}) {
            const NodeId i = x == 0 ? 0 : inside(tree, x);
            const Round arrival = x == 0 ? 0 : arrives(tree, i);
            if (x != 0) links.in.push_back(link(tree, place(tree, parent(i)), arrival));
            for (const NodeId child : children(i))
                if (child != 0) links.out.push_back(link(tree, place(tree, child), next(tree, child, arrival)));
        }
        return links;
    }
    /// Returns the round in which the last node gets the first packet of each tree, whatever M and the source are.
    [[nodiscard]] std::array<Round, 2> last_arrivals() const {
        std::array<Round, 2> last{};
        std::vector<std::pair<NodeId, Round>> open;
        for (const int tree : {0, 1}) {
            open.emplace_back(0, 0);
            while (!open.empty()) {
                const auto [i, arrival] = open.back();
                open.pop_back();
                Round& latest = last[static_cast<std::size_t>(tree)];
                latest = std::max(latest, arrival);
                for (const NodeId child : children(i))
                    if (child != 0) open.emplace_back(child, next(tree, child, arrival));
            }
        }
        return last;
    }
    /// Returns how many of M packets go down each tree.
    [[nodiscard]] static std::array<std::uint64_t, 2> halves(std::uint64_t packets) {
        return {packets - packets / 2, packets / 2};
    }

  private:
    static constexpr std::uint8_t unknown = 2;

    [[nodiscard]] NodeId nodes() const { return m_ + 1; }

    // The in-order binary tree of the numbers 1 .. m, below number 0.
    [[nodiscard]] NodeId top() const { return std::bit_floor(m_); }
    [[nodiscard]] std::array<NodeId, 2> children(NodeId i) const {
        if (i == 0) return {m_ == 0 ? 0 : top(), 0};
        NodeId half = (i & (~i + 1)) / 2;  // 2^(l-1), l trailing zeros
        if (half == 0) return {0, 0};
        const NodeId left = i - half;
        while (half > 0 && i + half > m_) half /= 2;
        return {left, half == 0 ? 0 : i + half};
    }
    [[nodiscard]] NodeId parent(NodeId i) const {
        NodeId above = 0;
        for (NodeId at = top(); at != i;) {
            above = at;
            const auto [left, right] = children(at);
            at = i < at ? left : right;
        }
        return above;
    }
    // The position of a number in a tree.
    [[nodiscard]] NodeId position(int tree, NodeId i) const {
        if (tree == 0 || i == 0) return i;
        return m_ % 2 == 0 ? m_ + 1 - i : i % m_ + 1;
    }
    [[nodiscard]] NodeId inside(int tree, NodeId x) const {
        if (tree == 0) return x;
        return m_ % 2 == 0 ? m_ + 1 - x : (x + m_ - 2) % m_ + 1;
    }
    [[nodiscard]] NodeId place(int tree, NodeId i) const { return (source_ + position(tree, i)) % nodes(); }

    [[nodiscard]] std::uint8_t colour(int tree, NodeId i) const {
        const std::uint8_t in_tree_0 = colour_[position(tree, i)];
        return static_cast<std::uint8_t>(tree == 0 ? in_tree_0 : 1 - in_tree_0);
    }
    /// Returns the round in which number i gets the first packet of a tree if its parent gets it in round `above`.
    [[nodiscard]] Round next(int tree, NodeId i, Round above) const {
        return above % 2 == colour(tree, i) ? above + 1 : above + 2;  // round t + 1 has the colour t mod 2
    }
    [[nodiscard]] Round arrives(int tree, NodeId i) const {
        return i == 0 ? 0 : next(tree, i, arrives(tree, parent(i)));
    }
    [[nodiscard]] Link link(int tree, NodeId peer, Round begin) const {
        const auto [half, others] = halves(packets_);
        return tree == 0 ? Link{peer, begin, 0, half} : Link{peer, begin, half, others};
    }

    /// The source's arc into tree 0 gets colour 0, and so does, in each further chain of constraints, the arc of tree 0
    /// into its lowest position.
    void colour_all() {
        std::vector<NodeId> open;
        const auto set = [&](NodeId x, std::uint8_t colour) {
            if (x == 0 || colour_[x] != unknown) return;
            colour_[x] = colour;
            open.push_back(x);
        };
        const auto spread = [&] {
            while (!open.empty()) {
                const NodeId x = open.back();
                open.pop_back();
                for (const int tree : {0, 1}) {
                    const NodeId i = inside(tree, x);
                    if (parent(i) == 0) {  // arcs of the source: to the other tree's root
                        set(position(1 - tree, top()), colour_[x]);
                        continue;
                    }
                    const auto [left, right] = children(parent(i));
                    set(position(tree, left == i ? right : left), static_cast<std::uint8_t>(1 - colour_[x]));
                }
            }
        };
        set(position(0, top()), 0);
        spread();
        for (NodeId x = 1; x <= m_; ++x) {
            set(x, 0);
            spread();
        }
    }

    NodeId m_;
    NodeId source_;
    std::uint64_t packets_;
    std::vector<std::uint8_t> colour_;
};

namespace {

/// One-to-all broadcast of M packets on the complete graph.
///
/// Machine   complete graph of N nodes, any N, 1-port, full duplex ports. Combining or not
/// Gives     every node holds all packets of the source
/// Costs     rounds M + 2 ceil(log2 N) - 3 or one more; work M (N - 1)
/// Idea      Half of the packets go down one binary tree, half down another. A node has two children in one tree and none in the
///           other, so it sends and receives in every round, in turn for the two trees.
/// Source    Sanders, Speck, Traff, Parallel Computing 35 (2009); model.md section 13.2
Program broadcast_down_two_trees(Node& self, const TwoTrees& trees) { return broadcast_by_timetable(self, trees); }

std::optional<std::string> misfit_broadcast_two_tree(const Machine& machine, const Collective& collective,
                                                     const AlgorithmOptions& options) {
    return first_of({needs_complete(machine), needs_one_port(machine), needs_stream(machine, collective),
                     needs_both_ways(machine, collective), needs_table(machine), takes_no_options(options)});
}

Start make_broadcast_two_tree(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const auto trees = std::make_shared<const TwoTrees>(machine.topology->nodes(), collective);
    return start_of_timetable([trees](Node& self) { return broadcast_down_two_trees(self, *trees); }, collective.root);
}

/// TwoTrees::last_arrivals(), which visits every node, cached for all M predicted on a machine.
std::array<Round, 2> last_arrivals_of(NodeId nodes) {
    struct Known {
        NodeId nodes = 0;
        std::array<Round, 2> rounds{};
    };
    thread_local Known known;
    if (known.nodes != nodes) known = {nodes, TwoTrees(nodes, Collective{}).last_arrivals()};
    return known.rounds;
}

/// Returns the round of the last packet at a node whose first packet of a tree comes in round `arrival`.
std::uint64_t last_round(Round arrival, std::uint64_t packets) {
    return packets == 0 ? 0 : arrival + 2 * (packets - 1);
}

ExpectedCost expect_broadcast_two_tree(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::array<Round, 2> arrivals = last_arrivals_of(nodes);
    const auto [half, others] = TwoTrees::halves(collective.packets_each);
    const std::uint64_t rounds =
        nodes == 1 ? 0 : std::max(last_round(arrivals[0], half), last_round(arrivals[1], others));
    ExpectedCost cost = single_packet_cost(machine, collective, rounds,
                                           {fmt::format("each tree gets half of the {} packets, one in every second "
                                                        "round, and the deepest node is reached last: {}",
                                                        collective.packets_each, counted(rounds, "round"))});
    if (nodes == 3 && collective.packets_each == 1) {  // the only exception
        cost.path_sum = cost.volume = 2;
        cost.silent_rounds = 1;
    }
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_two_tree() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "two-tree",
            .rule =
                "half of the packets down one binary tree, half down another, whose leaves are the inner nodes of the "
                "first",
            .needs = "complete graph, any N, SF or WH, 1-port, full duplex, not pairwise",
            .cost = "M+2L(N)-3 rounds or one more",
            .source = "Sanders, Speck, Traff 2009; model section 13.2",
            .misfit = misfit_broadcast_two_tree,
            .make = make_broadcast_two_tree,
            .expect = expect_broadcast_two_tree,
            .table_bytes_per_node = 1,
            .with_many = WithMany::own,
            .single_links = true,
            .single_packets = true,
        },
        Operation::reduce);
}

}  // namespace kport
