/// @file ring.cpp   Circular shift on a ring, and moves on rings and lines.
#include <algorithm>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/ring.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// The way that the packets of all nodes that send go: round a ring the shorter way, forth if both are equal.
struct WayOfAll {
    NodeId steps = 0;   ///< of each packet
    NodeId moving = 0;  ///< nodes that send
    Direction direction = Direction::forward;
};

WayOfAll way_of_all(const Grid& row, const Permutation& permutation) {
    const NodeId nodes = row.nodes();
    WayOfAll way;
    way.moving = permutation.senders(nodes);
    if (way.moving == 0) return way;
    const bool back = permutation.by < 0;
    // A shift goes round as often as it likes; of a move by N or more nothing moves.
    const NodeId far = static_cast<NodeId>(back ? -permutation.by : permutation.by) % nodes;
    const bool around = row.wraps() && (nodes - far < far || (back && nodes - far == far));
    way.steps = around ? nodes - far : far;
    way.direction = back == around ? Direction::forward : Direction::backward;
    return way;
}

/// A node of a line or ring, with the nodes behind it on the way.
struct PlaceOnWay {
    NodeId here;
    NodeId nodes;
    bool wraps;
    Direction direction;

    /// Returns the node so many steps back, fewer than there are nodes; no_node beyond the end of a line.
    [[nodiscard]] NodeId back(NodeId steps) const {
        if (wraps) return direction == Direction::forward ? (here + nodes - steps) % nodes : (here + steps) % nodes;
        if (direction == Direction::forward) return steps <= here ? here - steps : no_node;
        return here + steps < nodes ? here + steps : no_node;
    }
    /// A ring of two has one link.
    [[nodiscard]] Port out() const {
        return direction == Direction::forward || (wraps && nodes == 2) ? Grid::plus(0) : Grid::minus(0);
    }
    [[nodiscard]] Port in() const {
        return direction == Direction::forward && !(wraps && nodes == 2) ? Grid::minus(0) : Grid::plus(0);
    }
};

/// Shifts on rings, and moves on rings and lines: the packets of node v go to v + Q, if there is such a node.
///
/// Machine   ring, or line for moves, store-and-forward or wormhole, any k, full duplex ports or two; combining where nodes have
///           several packets
/// Gives     every node holds the packets of the node Q numbers before it
/// Costs     d links a packet: min(Q, N - Q) round a ring, else |Q|. Rounds and path sum d, work d for each node that sends: N in a
///           shift, N - |Q| in a move; volume M d packets
/// Idea      All packets go the shorter way round, forth if both are equal: pass on what came last.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.6
Program shift_around(Node& self, const Permutation& permutation, WayOfAll way, PlaceOnWay place,
                     std::uint64_t packets) {
    const auto comes_from = [&](NodeId origin) {
        return origin != no_node && permutation.target(origin, place.nodes) != origin;
    };
    PacketSet latest = packets_of({static_cast<std::uint32_t>(self.id())}, packets);
    for (NodeId round = 1; round <= way.steps; ++round) {
        if (comes_from(place.back(round - 1))) co_await self.pass(place.out(), latest);
        if (!comes_from(place.back(round))) continue;
        const Arrival arrival = co_await self.receive(place.in());
        latest = arrival.packets();
    }
}

std::optional<std::string> misfit_permutation_ring(const Machine& machine, const Collective& collective,
                                                   const AlgorithmOptions& options) {
    const Permutation& permutation = collective.permutation;
    const Grid* row = as_grid(machine);
    const bool is_row = row != nullptr && row->dimensions() == 1;
    const bool moves = permutation.kind == Permutation::Kind::move;
    return first_of({moves ? unless(is_row, "needs a ring or line") : needs_ring(machine),
                     unless(permutation.is_by_number(machine.topology->nodes()),
                            "needs permutation shift:Q, or move:Q, which a line has too"),
                     needs_send_beside_receive(machine), needs_way_around(machine), needs_table(machine),
                     takes_no_options(options)});
}

Start make_permutation_ring(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const Grid& row = *as_grid(machine);
    const WayOfAll way = way_of_all(row, collective.permutation);
    const auto program = [topology = machine.topology, permutation = collective.permutation, way, wraps = row.wraps(),
                          packets = collective.packets_each](Node& self) {
        return shift_around(self, permutation, way, {self.id(), self.nodes(), wraps, way.direction}, packets);
    };
    return {program, {}, true};
}

ExpectedCost expect_permutation_ring(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const Grid& row = *as_grid(machine);
    const WayOfAll way = way_of_all(row, collective.permutation);
    const std::uint64_t m = collective.packets_each;
    return {
        way.steps,
        way.moving * way.steps,
        way.steps,
        m * way.steps,
        {row.wraps()
             ? fmt::format("the shorter way round has min({}, {}) = {}: {}", way.steps, row.nodes() - way.steps,
                           counted(way.steps, "step"), counted(way.steps, "round"))
             : fmt::format("all go {} along the line: {}", counted(way.steps, "step"), counted(way.steps, "round")),
         fmt::format("the packets of {} cross as many links: work {} * {} = {}, volume {}", counted(way.moving, "node"),
                     way.moving, way.steps, way.moving * way.steps, counted(m * way.steps, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_permutation_ring() {
    return {{
        .operation = Operation::permutation,
        .name = "ring",
        .rule = "all packets go the shorter way round, a step a round",
        .needs = "ring, a shift or move; line, a move; SF or WH, any k, full duplex or two ports, not pairwise",
        .cost = "d = min(Q, N-Q) rounds, on a line |Q|; work N d, of a move (N-|Q|) d; volume M d packets",
        .source = "Kumar et al. ch. 4.6",
        .misfit = misfit_permutation_ring,
        .make = make_permutation_ring,
        .expect = expect_permutation_ring,
        .single_links = true,
    }};
}

}  // namespace kport
