/// @file edge_disjoint_trees.cpp   Broadcast of M packets down trees that share no channel (model.md section 13.2).
#include <algorithm>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/disjoint_trees.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/timetable.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

/// The trees of the complete graph: packet j goes to position 1 + (j mod (N-1)), and from there to all others. A single
/// packet in the last group goes directly to every node.
class StarTrees {
  public:
    StarTrees(NodeId nodes, const Collective& collective)
        : nodes_(nodes), source_(collective.root), m_(collective.packets_each) {}

    /// A link to a position from another.
    struct Link {
        NodeId peer;
        const StarTrees& trees;
        NodeId from;
        NodeId to;
        [[nodiscard]] std::optional<PacketId> packet(Round round) const { return trees.packet(from, to, round); }
    };
    /// The links that a node uses in a round; a node has many links, but few in one round.
    struct At {
        const StarTrees& trees;
        NodeId x;
        [[nodiscard]] Round next(Round round) const { return round <= trees.rounds() ? round : no_round; }
        [[nodiscard]] std::vector<Link> links_in(Round round) const {
            if (x == 0) return {};
            std::vector<Link> links{trees.link(0, x, 0)};
            for (NodeId y = 1; y <= trees.sent_in(round - 1); ++y)
                if (y != x) links.push_back(trees.link(y, x, y));
            return links;
        }
        [[nodiscard]] std::vector<Link> links_out(Round round) const {
            std::vector<Link> links;
            const NodeId all = trees.nodes_ - 1;
            const NodeId fed = trees.sent_in(round);
            const NodeId to = x == 0 ? (fed == 1 ? all : fed) : x <= trees.sent_in(round - 1) ? all : 0;
            for (NodeId y = 1; y <= to; ++y)
                if (y != x) links.push_back(trees.link(x, y, y));
            return links;
        }
    };
    [[nodiscard]] At at(NodeId v) const { return {*this, (v + nodes_ - source_) % nodes_}; }

  private:
    [[nodiscard]] Round rounds() const { return nodes_ < 2 ? 0 : static_cast<Round>((m_ - 1) / (nodes_ - 1) + 2); }
    [[nodiscard]] Link link(NodeId from, NodeId to, NodeId peer) const {
        return {(source_ + peer) % nodes_, *this, from, to};
    }
    /// Returns how many packets leave the source in a round: one for each of the positions 1, 2, .., which inform the
    /// others.
    [[nodiscard]] std::uint64_t sent_in(Round round) const {
        const std::uint64_t before = round == 0 ? m_ : PacketId{round - 1} * (nodes_ - 1);
        return before >= m_ ? 0 : std::min(m_ - before, nodes_ - 1);
    }
    [[nodiscard]] std::optional<PacketId> packet(NodeId from, NodeId to, Round round) const {
        const std::uint64_t group_size = nodes_ - 1;
        const bool last_alone = m_ % group_size == 1 % group_size && group_size > 1;
        const auto packet_of = [&](Round sent, NodeId position) {
            return PacketId{sent - 1} * group_size + position - 1;
        };
        if (from == 0) {
            if (last_alone && packet_of(round, 1) == m_ - 1) return m_ - 1;
            const PacketId j = packet_of(round, to);
            return j < m_ ? std::optional(j) : std::nullopt;
        }
        if (round < 2) return std::nullopt;
        const PacketId j = packet_of(round - 1, from);
        return j < m_ && !(last_alone && j == m_ - 1) ? std::optional(j) : std::nullopt;
    }

    NodeId nodes_;
    NodeId source_;
    std::uint64_t m_;
};

namespace {

/// One-to-all broadcast of M packets with all ports.
///
/// Machine   mesh, line, torus and ring of sides > 2, complete graph; all-port, full duplex ports and links. Combining or not
/// Gives     every node holds all packets of the source
/// Costs     mesh of q sides > 1: rounds ceil(M/q) - 1 + ecc(s); torus of q sides >= 4, S their sum: ceil((M + q S) / 2q) - 1;
///           complete graph: ceil((M + N - 2) / (N - 1)); work M (N - 1)
/// Idea      The source sends a packet by each of its ports in every round, each down a tree of its own. The trees share no
///           channel, so no packet waits (MeshTrees, TorusTrees, StarTrees).
/// Source    derived for kport, the mesh trees after Johnsson, Ho 1989; model.md section 13.2
template <class Trees>
Program broadcast_down_trees(Node& self, const Trees& trees) {
    return broadcast_by_timetable(self, trees);
}

std::optional<std::string> needs_long_rings(const Machine& machine) {
    const Grid* grid = as_grid(machine);
    for (int i = 0; grid != nullptr && grid->wraps() && i < grid->dimensions(); ++i)
        if (grid->side(i) == 2) return "needs a torus whose sides are not 2 (a hypercube has msbt)";
    return std::nullopt;
}

std::optional<std::string> misfit_broadcast_edge_disjoint(const Machine& machine, const Collective& collective,
                                                          const AlgorithmOptions& options) {
    return first_of({unless(as_grid(machine) != nullptr || !needs_complete(machine),
                            "needs a mesh, torus, line, ring or complete graph"),
                     needs_long_rings(machine), needs_all_ports(machine), needs_both_ways(machine, collective),
                     needs_table(machine), takes_no_options(options)});
}

Start make_broadcast_edge_disjoint(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const Grid* grid = as_grid(machine);
    if (grid == nullptr) return broadcast_along(StarTrees(machine.topology->nodes(), collective), collective.root);
    if (grid->wraps()) return broadcast_along(TorusTrees(Lattice(*grid), collective), collective.root);
    return broadcast_along(MeshTrees(Lattice(*grid), collective), collective.root);
}

/// Largest torus with a side of 3 that is examined node by node.
constexpr NodeId looked_at_nodes_max = NodeId{1} << 14;

ExpectedCost expect_on_torus(const Machine& machine, const Collective& collective, const Lattice& torus) {
    const auto q = static_cast<std::uint64_t>(torus.dimensions());
    std::uint64_t sides = 0;
    bool has_short = false;
    for (int i = 0; i < torus.dimensions(); ++i) {
        sides += torus.side(i);
        has_short |= torus.side(i) == 3;
    }
    const std::uint64_t m = collective.packets_each;
    if (has_short) {
        if (torus.nodes() > looked_at_nodes_max)
            return single_packet_cost(
                machine, collective, std::nullopt,
                {"a torus with a side of 3 may take a round more than the formula: only a run can show it"});
        const std::uint64_t rounds = TorusTrees(torus, collective).rounds();
        return single_packet_cost(
            machine, collective, rounds,
            {fmt::format("a side of 3 makes leaves deep: the last node where opposite trees meet has all in round {}",
                         rounds)});
    }
    const std::uint64_t rounds = (m + q * sides + 2 * q - 1) / (2 * q) - 1;
    return single_packet_cost(machine, collective, rounds,
                              {fmt::format("the depths of a node in opposite trees add up to {} at most, so they meet "
                                           "after ceil(({} + {} * {}) / {}) - 1 = {}",
                                           sides, m, q, sides, 2 * q, counted(rounds, "round"))});
}

ExpectedCost expect_broadcast_edge_disjoint(const Machine& machine, const Collective& collective,
                                            const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t m = collective.packets_each;
    if (nodes == 1) return single_packet_cost(machine, collective, 0, {});
    const Grid* grid = as_grid(machine);
    if (grid == nullptr) {
        const std::uint64_t rounds = (m + nodes - 2 + nodes - 2) / (nodes - 1);
        return single_packet_cost(
            machine, collective, rounds,
            {fmt::format(
                "the source sends {} a round, which the others exchange in the next: ceil(({} + {} - 2) / {}) = {}",
                counted(nodes - 1, "packet"), m, nodes, nodes - 1, counted(rounds, "round"))});
    }
    const Lattice lattice(*grid);
    if (grid->wraps()) return expect_on_torus(machine, collective, lattice);
    const auto q = static_cast<std::uint64_t>(lattice.dimensions());
    const Hops exc = grid->eccentricity(collective.root);
    const std::uint64_t rounds = (m + q - 1) / q - 1 + exc;
    return single_packet_cost(
        machine, collective, rounds,
        {fmt::format("the trees get {} a round, the last in round {}, and their last nodes are at most {} away: {}",
                     counted(q, "packet"), (m + q - 1) / q, counted(exc, "link"), counted(rounds, "round"))});
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_edge_disjoint_trees() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "edge-disjoint-trees",
            .rule = "packets in turn down spanning trees that share no channel, a tree for each dimension or direction",
            .needs =
                "mesh, line, torus or ring of sides > 2, complete graph, SF or WH, all-port, full duplex ports and "
                "links, not pairwise",
            .cost =
                "mesh of q sides: ceil(M/q)-1+ecc(s) rounds; torus of q sides >= 4, S their sum: ceil((M+q S)/2q)-1; "
                "complete graph: ceil((M+N-2)/(N-1))",
            .source = "Johnsson, Ho 1989; model section 13.2",
            .misfit = misfit_broadcast_edge_disjoint,
            .make = make_broadcast_edge_disjoint,
            .expect = expect_broadcast_edge_disjoint,
            .with_many = WithMany::own,
            .single_links = true,
            .single_packets = true,
        },
        Operation::reduce);
}

}  // namespace kport
