/// @file ring.cpp   All-to-all scatter around rings, one way and both ways, and a ring per dimension (model.md section 7).
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/planned.hpp"
#include "algorithms/support/ring.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// The packets that travel one way along a dimension, to the next `reach` nodes of the ring there. Earlier dimensions are
/// done: a node has packets from all nodes with its coordinates from this dimension on, for all nodes with its earlier ones.
class Stream {
  public:
    Stream(const Node& self, const Grid& torus, int dimension, Direction direction, NodeId reach)
        : way_(torus, dimension, self.id(), direction), stride_(torus.stride(dimension)), apart_(stride_ * way_.size()),
          v_(self.id()), reach_(reach), nodes_(torus.nodes()), m_(self.collective().packets_each) {}

    [[nodiscard]] Port out() const { return way_.out(); }
    [[nodiscard]] Port in() const { return way_.in(); }
    [[nodiscard]] NodeId rounds() const { return reach_; }

    /// Returns the packets sent in a round, counted from 1: first the node's own, later those received in the round
    /// before. Their origins are round - 1 steps back; their targets are the next nodes in reach of the origins.
    [[nodiscard]] PacketSet bundle(NodeId round) const {
        const Progression origins = nodes_at(way_.back(round - 1));
        const NodeId targets = reach_ - (round - 1);
        const NodeId first = way_.next(targets);
        const NodeId before_end = std::min(targets, way_.size() - first);
        PacketSet packets = packets_between(origins, nodes_from(first, before_end), m_);
        if (before_end < targets) packets.add(packets_between(origins, nodes_from(0, targets - before_end), m_));
        return packets;
    }

  private:
    /// Returns the nodes at a position of this dimension with this node's later coordinates.
    [[nodiscard]] Progression nodes_at(NodeId position) const {
        const NodeId count = nodes_ / apart_;
        return {static_cast<std::uint32_t>(v_ % stride_ + position * stride_),
                static_cast<std::uint32_t>(count == 1 ? 1 : apart_), static_cast<std::uint32_t>(count)};
    }
    /// Returns the nodes at `positions` positions of this dimension with this node's earlier coordinates.
    [[nodiscard]] Progression nodes_from(NodeId position, NodeId positions) const {
        return {static_cast<std::uint32_t>(v_ / apart_ * apart_ + position * stride_), 1,
                static_cast<std::uint32_t>(positions * stride_)};
    }

    RingWay way_;
    NodeId stride_;  ///< from a node to the next one along the dimension
    NodeId apart_;   ///< from a ring to the next one, across the dimension
    NodeId v_;
    NodeId reach_;
    NodeId nodes_;
    std::uint64_t m_;
};

/// Sends a stream: first the own packets, then always the last bundle without the packets that have arrived.
Program circulate(Node& self, Stream stream) {
    for (NodeId round = 1; round <= stream.rounds(); ++round) {
        co_await self.pass(stream.out(), stream.bundle(round));
        co_await self.receive(stream.in());
    }
}

/// All-to-all scatter around a ring, all packets one way.
///
/// Machine   ring, store-and-forward or wormhole, any k, full duplex ports, combining
/// Gives     node v holds the packets addressed to v
/// Costs     rounds N - 1, work N (N - 1), path sum N - 1, volume N (N - 1) / 2 packets
/// Idea      Every node sends the packets for all others to the next node, which keeps its own and sends the rest on.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.5.1; model.md section 7
Program alltoall_by_ring(Node& self, const Grid& ring) {
    co_await circulate(self, Stream(self, ring, 0, Direction::forward, ring.nodes() - 1));
}

/// All-to-all scatter around a ring, two streams at once.
///
/// Machine   ring, store-and-forward or wormhole, two ports, full duplex, combining
/// Gives     node v holds the packets addressed to v
/// Costs     rounds f = floor(N / 2), work N (N - 1), path sum f, volume f (f + 1) / 2 packets
/// Idea      Packets for the nodes at most N / 2 away go forward, the others backward.
/// Source    Tvrdik, CS838 section 14; model.md section 7
Program alltoall_by_ring_bidirectional(Node& self, const Grid& ring) {
    const Grid::Arms arms = ring.arms(0, self.id());
    const Stream forward(self, ring, 0, Direction::forward, arms.plus);
    const Stream backward(self, ring, 0, Direction::backward, arms.minus);
    for (NodeId round = 1; round <= forward.rounds(); ++round) {
        const bool both_ways = round <= backward.rounds();
        co_await self.pass(forward.out(), forward.bundle(round));
        if (both_ways) co_await self.pass(backward.out(), backward.bundle(round));
        co_await self.receive(forward.in());
        if (both_ways) co_await self.receive(backward.in());
    }
}

/// All-to-all scatter around a ring with one port, one stream after the other.
///
/// Machine   ring, store-and-forward or wormhole, any k, full duplex ports, combining
/// Gives     node v holds the packets addressed to v
/// Costs     rounds N - 1, work N (N - 1), path sum N - 1, volume floor(N^2 / 4) packets, which no 1-port machine beats
/// Idea      Packets for the nodes at most N / 2 away go forward; then the others go backward.
/// Source    model.md section 7
Program alltoall_by_ring_serial(Node& self, const Grid& ring) {
    const Grid::Arms arms = ring.arms(0, self.id());
    co_await circulate(self, Stream(self, ring, 0, Direction::forward, arms.plus));
    co_await circulate(self, Stream(self, ring, 0, Direction::backward, arms.minus));
}

/// All-to-all scatter on a torus, one dimension after the other.
///
/// Machine   torus, ring, store-and-forward or wormhole, any k, full duplex ports, combining
/// Gives     node v holds the packets addressed to v
/// Costs     rounds and path sum sum (n_i - 1), work N sum (n_i - 1), volume N sum (n_i - 1) / 2 packets
/// Idea      Along each dimension the packets go around the ring to the node that agrees with their target in it; a node
///           sends together what is for the same node of its ring.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.5.2; model.md section 7
Program alltoall_by_rings(Node& self, const Grid& torus) {
    for (int d = 0; d < torus.dimensions(); ++d)
        co_await circulate(self, Stream(self, torus, d, Direction::forward, torus.side(d) - 1));
}

/// alltoall_by_rings() where counts differ, from the last dimension to the first: with equal counts the order of dimensions costs nothing. Messages
/// without packets are left out, and so are rounds without messages.
Schedule rings_of_counts(const Machine& machine, const Collective& collective) {
    const Grid& torus = *as_grid(machine);
    const Counts& counts = *collective.counts;
    using Pair = std::pair<std::uint32_t, std::uint32_t>;  // sender and target of packets
    std::vector<std::vector<Pair>> held(torus.nodes());
    for (std::uint32_t u = 0; u < torus.nodes(); ++u)
        for (std::uint32_t v = 0; v < torus.nodes(); ++v)
            if (counts.of(u, v) > 0) held[u].emplace_back(u, v);
    Schedule plan;
    Round round = 1;
    for (int d = torus.dimensions(); d-- > 0;)
        for (NodeId step = 1; step < torus.side(d); ++step) {
            std::vector<std::vector<Pair>> came(torus.nodes());
            for (NodeId v = 0; v < torus.nodes(); ++v) {
                const auto stays = [&](const Pair& p) {
                    return torus.coordinate(p.second, d) == torus.coordinate(v, d);
                };
                const auto leaving = std::ranges::stable_partition(held[v], stays);
                if (leaving.empty()) continue;
                PacketBlocks packets;
                for (const auto& [from, to] : leaving)
                    packets.push_back(
                        {to, 1, 1, static_cast<std::uint32_t>(from * collective.packets_each), 1, counts.of(from, to)});
                const RingWay way(torus, d, v, Direction::forward);
                const Port port = way.out();
                const NodeId next = torus.across(v, port).node;
                plan.add(round, {v, next, {&port, 1}, span_of(packets)});
                came[next].assign(leaving.begin(), leaving.end());
                held[v].erase(leaving.begin(), leaving.end());
            }
            for (NodeId v = 0; v < torus.nodes(); ++v) held[v].insert(held[v].end(), came[v].begin(), came[v].end());
            if (plan.rounds() == round) ++round;
        }
    return plan;
}

Start make_alltoall_rings(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    if (collective.counts != nullptr) return following(rings_of_counts(machine, collective), machine, collective);
    const Grid* grid = as_grid(machine);
    return {[topology = machine.topology, grid](Node& self) { return alltoall_by_rings(self, *grid); }, {}, true};
}

template <Program (*program)(Node&, const Grid&)>
Start make_alltoall_ring(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Grid* grid = as_grid(machine);
    return {[topology = machine.topology, grid](Node& self) { return program(self, *grid); }, {}, true};
}

std::optional<std::string> needs_exchange(const Machine& machine, const AlgorithmOptions& options) {
    return first_of({needs_send_beside_receive(machine), needs_way_around(machine), needs_combining(machine),
                     needs_table(machine), takes_no_options(options)});
}

std::optional<std::string> misfit_alltoall_ring(const Machine& machine, const Collective&,
                                                const AlgorithmOptions& options) {
    return first_of({needs_ring(machine), needs_exchange(machine, options)});
}

std::optional<std::string> misfit_alltoall_ring_both_ways(const Machine& machine, const Collective&,
                                                          const AlgorithmOptions& options) {
    return first_of({needs_ring(machine), needs_partners(machine), needs_two_ports(machine), needs_full_duplex(machine),
                     needs_full_links(machine), needs_exchange(machine, options)});
}

std::optional<std::string> misfit_alltoall_ring_torus(const Machine& machine, const Collective& collective,
                                                      const AlgorithmOptions& options) {
    constexpr NodeId nodes_max = 1 << 12;
    const bool fits = collective.counts == nullptr || machine.topology->nodes() <= nodes_max;
    return first_of({needs_torus(machine), needs_exchange(machine, options),
                     planned_where(fits, "counts of at most 4096 nodes differ")});
}

/// Returns 1 + 2 + ... + n.
std::uint64_t triangle(std::uint64_t n) { return n % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n; }

/// Returns the bundles of a stream as a sum: "3 + 2 + 1", "5 + ... + 2 + 1".
std::string countdown(std::uint64_t n) {
    if (n <= 1) return fmt::format("{}", n);
    return n <= 3 ? fmt::format("{} + {}", n, countdown(n - 1)) : fmt::format("{} + ... + 2 + 1", n);
}

/// One message a node and round over one link, for `rounds` rounds.
ExpectedCost one_send_a_round(NodeId nodes, std::uint64_t rounds, const std::string& why, std::uint64_t volume,
                              const std::string& why_volume) {
    return {rounds,
            nodes * rounds,
            rounds,
            volume,
            {fmt::format("{}: {}", why, counted(rounds, "round")),
             fmt::format("in each of them every node sends over one link: work {} * {} = {}", nodes, rounds,
                         nodes * rounds),
             why_volume}};
}

ExpectedCost expect_alltoall_ring(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const std::uint64_t others = machine.topology->nodes() - 1;
    return one_send_a_round(
        others + 1, others, fmt::format("the farthest of the {} others is {} forward", others, counted(others, "step")),
        triangle(others),
        fmt::format("the bundles lose a packet a round, {}: volume {}, Kumar's (t_s + t_w m p / 2)(p - 1)",
                    countdown(others), counted(triangle(others), "packet")));
}

ExpectedCost expect_alltoall_ring_both_ways(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t forward = nodes / 2;
    const std::uint64_t backward = nodes - 1 - forward;
    return {forward,
            nodes * (nodes - 1),
            forward,
            triangle(forward),
            {fmt::format("{} forward and {} backward at the same time: floor({} / 2) = {}", counted(forward, "node"),
                         backward, nodes, counted(forward, "round")),
             fmt::format("every node sends {} bundles forward and {} backward, each over one link: work {} * {} = {}",
                         forward, backward, nodes, nodes - 1, nodes * (nodes - 1)),
             fmt::format("the bundles lose a packet a round, {}: volume {}; Tvrdik's (z^2 - 1) / 8 for odd z",
                         countdown(forward), counted(triangle(forward), "packet"))}};
}

ExpectedCost expect_alltoall_ring_serial(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t forward = nodes / 2;
    const std::uint64_t backward = nodes - 1 - forward;
    return one_send_a_round(nodes, nodes - 1,
                            fmt::format("{} forward, then {} backward", counted(forward, "node"), backward),
                            triangle(forward) + triangle(backward),
                            fmt::format("the bundles lose a packet a round, {} and then {}: volume floor({}^2 / 4) = "
                                        "{}, the sum of a node's distances",
                                        countdown(forward), countdown(backward), nodes,
                                        counted(triangle(forward) + triangle(backward), "packet")));
}

ExpectedCost expect_alltoall_ring_torus(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    if (collective.counts != nullptr) return counted_cost(rings_of_counts(machine, collective), machine, collective);
    const Grid& torus = *as_grid(machine);
    const NodeId nodes = torus.nodes();
    const std::uint64_t rounds = ring_rounds(torus);
    ExpectedCost cost{rounds, nodes * rounds, rounds, 0, {}};
    for (int d = 0; d < torus.dimensions(); ++d) {
        const NodeId side = torus.side(d);
        const std::uint64_t packets = nodes / side * triangle(side - 1);
        *cost.volume += packets;
        cost.derivation.push_back(fmt::format("dimension {}, rings of {}: {}, {} for each node still ahead, {} in all",
                                              d, side, counted(side - 1, "round"), counted(nodes / side, "packet"),
                                              counted(packets, "packet")));
    }
    cost.derivation.push_back(fmt::format("one message a node and round, over one link: {}, work {} * {} = {}",
                                          counted(rounds, "round"), nodes, rounds, nodes * rounds));
    cost.derivation.push_back(
        fmt::format("the dimensions follow one another: volume {}; Kumar's (2 t_s + t_w m p)(sqrt p - 1) on a square",
                    counted(*cost.volume, "packet")));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_alltoall_ring() {
    return {{
                .operation = Operation::alltoall,
                .name = "ring-bidirectional",
                .rule = "two streams at once, packets for the nodes at most N/2 away go forward, the others backward",
                .needs = "ring, SF or WH, two ports, full duplex ports and links, not pairwise, combining",
                .cost = "f = floor(N/2) rounds, work N(N-1), volume f(f+1)/2 packets",
                .source = "Tvrdik CS838 section 14; model section 7",
                .misfit = misfit_alltoall_ring_both_ways,
                .make = make_alltoall_ring<alltoall_by_ring_bidirectional>,
                .expect = expect_alltoall_ring_both_ways,
            },
            {
                .operation = Operation::alltoall,
                .name = "ring-bidirectional-serial",
                .rule = "packets for the nodes at most N/2 away go forward, then the others backward",
                .needs = "ring, SF or WH, any k, full duplex or two ports, not pairwise, combining",
                .cost = "N-1 rounds, work N(N-1), volume floor(N^2/4) packets, the minimum for one port",
                .source = "model section 7",
                .misfit = misfit_alltoall_ring,
                .make = make_alltoall_ring<alltoall_by_ring_serial>,
                .expect = expect_alltoall_ring_serial,
            },
            {
                .operation = Operation::alltoall,
                .name = "ring",
                .rule = "every node keeps its own packet of a bundle and passes on the rest, all one way",
                .needs = "ring, SF or WH, any k, full duplex or two ports, not pairwise, combining",
                .cost = "N-1 rounds, work N(N-1), volume N(N-1)/2 packets",
                .source = "Kumar et al. ch. 4.5.1; model section 7",
                .misfit = misfit_alltoall_ring,
                .make = make_alltoall_ring<alltoall_by_ring>,
                .expect = expect_alltoall_ring,
            },
            {
                .operation = Operation::alltoall,
                .name = "ring-per-dimension",
                .rule = "along each dimension in turn packets go around the ring to the coordinate of their target",
                .needs = "torus, ring, SF or WH, any k, full duplex or two ports, not pairwise, combining",
                .cost = "sum of n_i - 1 rounds, work N times the rounds, volume N/2 times the rounds in packets",
                .source = "Kumar et al. ch. 4.5.2; model section 7",
                .misfit = misfit_alltoall_ring_torus,
                .make = make_alltoall_rings,
                .expect = expect_alltoall_ring_torus,
                .knows_counts = [](const Machine&) { return true; },
            }};
}

}  // namespace kport
