/// @file centred.cpp   All-reduce of long vectors, each segment to a centre and back: on trees, and on rings both ways.
#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/node_values.hpp"
#include "algorithms/support/ring.hpp"
#include "algorithms/support/spanning_tree.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// The centre of a tree: a node, or where the diameter is odd the two ends of a link.
class CentredTree {
  public:
    explicit CentredTree(const Topology& topology) {
        const std::vector<std::uint32_t> from_far = depths(topology, farthest(depths(topology, 0)));
        const NodeId end = farthest(from_far);
        diameter_ = from_far[end];
        const SpanningTree to_far(topology, farthest(depths(topology, 0)));
        NodeId centre = end;
        for (Round i = 0; i < diameter_ / 2; ++i) centre = to_far.parent(centre);
        other_ = diameter_ % 2 == 1 ? to_far.parent(centre) : no_node;
        tree_ = std::make_unique<const SpanningTree>(topology, centre);
        depth_ = depths(topology, centre);
        if (other_ == no_node) return;
        const std::vector<std::uint32_t> from_other = depths(topology, other_);
        for (NodeId v = 0; v < depth_.size(); ++v) depth_[v] = std::min(depth_[v], from_other[v]);
    }

    [[nodiscard]] Round diameter() const { return diameter_; }
    /// The distance from the centre, or its nearer end.
    [[nodiscard]] Round depth(NodeId v) const { return depth_[v]; }
    /// The next node towards the centre; of an end of the central link the other end; no_node: it is the centre.
    [[nodiscard]] NodeId above(NodeId v) const { return v == tree_->source() ? other_ : tree_->parent(v); }
    [[nodiscard]] std::vector<NodeId> below(NodeId v) const {
        const auto children = tree_->children(v);
        std::vector<NodeId> nodes(children.begin(), children.end());
        if (v == tree_->source()) std::erase(nodes, other_);
        return nodes;
    }

    static constexpr std::uint64_t bytes_per_node = 2 * SpanningTree::bytes_per_node + 12;

  private:
    [[nodiscard]] static std::vector<std::uint32_t> depths(const Topology& topology, NodeId source) {
        return SpanningTree(topology, source).told_in(std::max<Port>(1, topology.max_degree()));
    }
    [[nodiscard]] static NodeId farthest(const std::vector<std::uint32_t>& depths) {
        return static_cast<NodeId>(std::ranges::max_element(depths) - depths.begin());
    }

    Round diameter_ = 0;
    NodeId other_ = no_node;  ///< than the source, of the central link
    std::unique_ptr<const SpanningTree> tree_;
    std::vector<std::uint32_t> depth_;
};

/// All-reduce on trees.
///
/// Machine   tree, store-and-forward or wormhole, all ports, full duplex ports and links, combining or not
/// Gives     every node holds the fold of all contributions
/// Costs     of M segments: rounds, path sum and volume M - 1 + D, work 2 (N - 1) M
/// Idea      Each segment is folded towards the centre, and its result goes back; segment j starts j rounds after the first. With
///           H = floor(D / 2), a node at depth e below the centre sends segment j up in round j + H - e + 1, and gets its result in
///           round j + D - H + e. If D is odd, the ends of the central link exchange their folds.
/// Proof     A leaf at the end of a longest path has one link: the last of its M values leaves in round M or later, and has
///           D - 1 links to cross then. So no schedule of single values takes fewer rounds.
/// Source    the proof
Program fold_to_centre_and_back(Node& self, const CentredTree& tree) {
    const NodeId v = self.id();
    const NodeId above = tree.above(v);
    const std::vector<NodeId> below = tree.below(v);
    const Round folded_in =
        tree.diameter() / 2 - tree.depth(v);  // segment 0: all below it, and it goes up a round later
    const Round result_in = tree.diameter() - folded_in;
    std::vector<Value> results(self.collective().segments(self.nodes()));
    const auto is_due = [&](Round round, Round first) { return round >= first && round - first < results.size(); };
    Value sum;
    Value result = contribution_to(self, 0);
    for (Round round = 1; round < results.size() + tree.diameter(); ++round) {
        co_await self.until(round);
        if (below.empty() && is_due(round, folded_in + 1)) sum = contribution_to(self, round - folded_in - 1);
        const Value sent = sum;
        if (above != no_node && is_due(round, folded_in + 1)) co_await self.send_to(above, sent);
        for (std::size_t i = 0; i < below.size() && is_due(round, result_in + 1); ++i)
            co_await self.send_to(below[i], result);
        if (!below.empty() && is_due(round, folded_in)) {
            sum = contribution_to(self, round - folded_in);
            for (const NodeId child : below) {
                const Arrival arrival = co_await self.receive_from(child);
                sum = self.merge(sum, arrival.value());
            }
        }
        if (!is_due(round, result_in)) continue;
        if (above == no_node) {
            result = self.whole(sum);
        } else {
            const Arrival arrival = co_await self.receive_from(above);
            result = tree.depth(v) == 0 ? self.whole(self.merge(sent, arrival.value())) : arrival.value();
        }
        results[round - result_in] = result;
    }
    if (self.nodes() == 1)
        self.result(self.contribution());
    else
        put_results(self, results);
}

/// All-reduce on rings, both ways.
///
/// Machine   ring of N >= 3, store-and-forward or wormhole, two ports, full duplex ports and links, not pairwise, combining or not
/// Gives     every node holds the fold of all contributions
/// Costs     of M segments: rounds, path sum and volume ceil(M / N) (N - 1), work 2 (N - 1) M
/// Idea      Segment s of a pass of N is folded along two arcs to node s, or where N is even to the ends of the link (s, s + 1),
///           which exchange, and its result goes back along the arcs. With h = ceil(N / 2) - 1 and e = 1 for odd N, 2 for even N,
///           node v sends in round t segment v + h + 1 - t to v + 1, and segment v - h - e + t to v - 1, modulo N: up to round
///           h + e - 1 the fold of its contribution and what came the same way, then results.
/// Proof     In one round a segment uses a channel of either direction at the same place relative to s, so N segments use each of
///           the 2 N channels once. 2 (N - 1) M values over 2 N channels take (N - 1) M / N rounds at least.
/// Source    the proof
Program fold_along_two_arcs(Node& self) {
    const NodeId nodes = self.nodes();
    const NodeId v = self.id();
    const NodeId half = (nodes - 1) / 2;
    const bool exchanges = nodes % 2 == 0;
    const NodeId folding = exchanges ? half + 1 : half;  // rounds of a pass in which values move
    const auto around = [=](NodeId x) { return x % nodes; };
    std::vector<Value> results(self.collective().segments(nodes));
    for (NodeId first = 0; first < results.size(); first += nodes) {
        const auto has = [&](NodeId segment) { return first + segment < results.size(); };
        Value from_below;  // what came last, and goes on in the same direction
        Value from_above;
        const auto with_own = [&](NodeId segment, const Value& came, NodeId round) {
            if (round > folding) return came;
            const Value own = contribution_to(self, first + segment);
            return came.is_none() ? own : self.merge(own, came);
        };
        const auto put_result = [&](NodeId segment, const Value& one, const Value& other) {
            results[first + segment] = self.whole(self.merge(one, other));
            return results[first + segment];
        };
        for (NodeId round = 1; round < nodes; ++round) {
            co_await self.until(static_cast<Round>(first / nodes * (nodes - 1) + round));
            const NodeId up = around(v + nodes + half + 1 - round);
            const NodeId down = around(v + 2 * nodes - half - (exchanges ? 2 : 1) + round);
            Value goes_up;
            Value goes_down;
            if (has(up)) {
                goes_up = with_own(up, from_below, round);
                co_await self.send(Grid::plus(0), goes_up);
            }
            if (has(down)) {
                goes_down = with_own(down, from_above, round);
                co_await self.send(Grid::minus(0), goes_down);
            }
            const NodeId came_up = around(up + nodes - 1);
            const NodeId came_down = around(down + 1);
            if (has(came_up)) {
                const Arrival arrival = co_await self.receive(Grid::minus(0));
                from_below = arrival.value();
                if (round > folding) results[first + came_up] = from_below;
            }
            if (has(came_down)) {
                const Arrival arrival = co_await self.receive(Grid::plus(0));
                from_above = arrival.value();
                if (round > folding) results[first + came_down] = from_above;
            }
            if (round != folding) continue;
            if (!exchanges && has(v)) {
                from_below = from_above = put_result(v, with_own(v, from_below, round), from_above);
            } else if (exchanges) {
                const Value of_link_above = from_above;
                if (has(v)) from_above = put_result(v, goes_up, of_link_above);
                if (has(came_up)) from_below = put_result(came_up, goes_down, from_below);
            }
        }
    }
    put_results(self, results);
}

bool is_tree(const Machine& machine) {
    const Topology& topology = *machine.topology;
    return topology.channels() == 2 * (topology.nodes() - 1);
}

std::optional<std::string> misfit_centred(const Machine& machine, const Collective&, const AlgorithmOptions& options) {
    const auto needs_channels = first_of(
        {needs_full_duplex(machine), needs_full_links(machine), needs_table(machine), takes_no_options(options)});
    if (is_tree(machine)) return first_of({needs_all_ports(machine), needs_channels});
    return first_of({unless(!needs_ring(machine), "needs a tree or a ring"), needs_two_ports(machine),
                     needs_partners(machine), needs_channels});
}

Start make_centred(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    if (!is_tree(machine)) return {fold_along_two_arcs, {}, true};
    const auto tree = std::make_shared<const CentredTree>(*machine.topology);
    return {[tree](Node& self) { return fold_to_centre_and_back(self, *tree); }, {}, true};
}

ExpectedCost expect_centred(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t m = collective.packets_each;
    ExpectedCost cost;
    cost.work = 2 * (nodes - 1) * m;
    if (nodes == 1) {
        cost.rounds = 0;
    } else if (is_tree(machine)) {
        const std::uint64_t diameter = CentredTree(*machine.topology).diameter();
        cost.rounds = m - 1 + diameter;
        cost.derivation = {
            fmt::format("to the centre and back in {} of the diameter, the last of {} starts {} later: {}",
                        counted(diameter, "round"), counted(m, "segment"), m - 1, counted(*cost.rounds, "round"))};
    } else {
        const std::uint64_t passes = (m + nodes - 1) / nodes;
        cost.rounds = passes * (nodes - 1);
        cost.derivation = {fmt::format("{} at a time, in {} rounds: ceil({} / {}) = {} times: {}",
                                       counted(nodes, "segment"), nodes - 1, m, nodes, passes,
                                       counted(*cost.rounds, "round"))};
    }
    cost.path_sum = cost.volume = cost.rounds;
    cost.derivation.push_back(fmt::format("each segment crosses {} twice, alone: work 2 * {} * {} = {}",
                                          counted(nodes - 1, "link"), nodes - 1, m, *cost.work));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_allreduce_centred() {
    return {{
        .operation = Operation::allreduce,
        .name = "centred",
        .rule =
            "each segment is folded towards a centre and its result goes back: a tree's centre, each segment a round "
            "after the one before; on a ring the nodes in turn, along two arcs",
        .needs =
            "tree with all ports, or ring with two; SF or WH, full duplex ports and links, not pairwise, combining or "
            "not",
        .cost = "tree: M-1+D rounds; ring: ceil(M/N)(N-1) rounds; volume as many packets, work 2(N-1)M",
        .source = "single values over the links of a leaf; over all channels of a ring",
        .misfit = misfit_centred,
        .make = make_centred,
        .expect = expect_centred,
        .table_bytes_per_node = CentredTree::bytes_per_node,
        .with_many = WithMany::own,
        .single_links = true,
        .single_packets = true,
        .merges = true,
    }};
}

}  // namespace kport
